//! The `shruti bench` command, which runs the measurements of `shruti-bench`.

use shruti_bench::Server;
use shruti_client::{Client, ClientBuilder};

use crate::files;
use crate::remote::Remote;

pub(crate) type Args = shruti_bench::Args<Remote>;

impl Server for Remote {
    fn url(&self) -> Option<&str> {
        self.server()
    }

    fn builder(&self) -> anyhow::Result<ClientBuilder> {
        self.builder()
    }

    fn client(&self) -> anyhow::Result<Client> {
        self.client()
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    // each conversation holds a connection, which counts as an open file
    if let Err(error) = files::raise_limit() {
        eprintln!("shruti: the limit of open files could not be raised: {error}");
    }
    shruti_bench::run(args)
}
