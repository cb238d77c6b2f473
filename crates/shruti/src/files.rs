//! Open files: each connection is one.

use std::io;

/// How far the limit of open files goes; `None` if there is no limit.
pub(crate) fn hard_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum
}

/// Raises the limit of open files as far as it goes: the usual soft limit of 1,024 would refuse connections long before
/// the machine is busy.
pub(crate) fn raise_limit() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    Ok(setrlimit(Resource::Nofile, raised)?)
}
