//! Limit on the number of open files. Each connection counts as an open file.

use std::io;

/// Returns the hard limit on open files, or `None` if there is no limit.
pub(crate) fn hard_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum
}

/// Raises the soft limit on open files to the hard limit. With the usual soft limit of 1,024, the server would refuse
/// connections long before the machine is busy.
pub(crate) fn raise_limit() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    Ok(setrlimit(Resource::Nofile, raised)?)
}
