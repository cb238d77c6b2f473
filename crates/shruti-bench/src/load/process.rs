//! Resource usage of a process on this machine. Available only on Linux.

use std::time::Duration;

use serde::Serialize;

/// Resource usage during the measured part of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Usage {
    /// CPU usage, in cores.
    pub(super) cores: f64,
    /// Memory at the end of the measured part, in MiB.
    pub(super) memory_mib: f64,
}

/// CPU time of a process since its start, and its resident memory at the time of the sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    cpu: Duration,
    memory_kib: u64,
}

impl Sample {
    /// Returns the usage between an earlier sample and this one. `passed` is the time between the two samples.
    pub(super) fn since(self, before: Self, passed: Duration) -> Usage {
        Usage {
            cores: self.cpu.saturating_sub(before.cpu).as_secs_f64()
                / passed.as_secs_f64().max(f64::MIN_POSITIVE),
            memory_mib: self.memory_kib as f64 / 1024.0,
        }
    }
}

#[cfg(target_os = "linux")]
mod proc {
    use super::{Duration, Sample};
    use procfs::process::{FDTarget, Process, all_processes};

    /// Returns the usage of a process, or `None` if the process has ended or cannot be inspected.
    pub(crate) fn sample(pid: i32) -> Option<Sample> {
        let process = Process::new(pid).ok()?;
        let stat = process.stat().ok()?;
        let ticks = (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64;
        Some(Sample { cpu: Duration::from_secs_f64(ticks), memory_kib: process.status().ok()?.vmrss? })
    }

    /// Returns the ID of the process that listens on a TCP port of this machine, or `None` if there is no such process
    /// or this user may not inspect it.
    pub(crate) fn listens_on(port: u16) -> Option<i32> {
        let sockets = procfs::net::tcp().into_iter().chain(procfs::net::tcp6()).flatten();
        let listening: Vec<u64> = sockets
            .filter(|socket| {
                socket.state == procfs::net::TcpState::Listen && socket.local_address.port() == port
            })
            .map(|socket| socket.inode)
            .collect();
        let holds = |process: &Process| {
            process.fd().is_ok_and(|mut files| {
                files.any(|file| match file.map(|file| file.target) {
                    Ok(FDTarget::Socket(inode)) => listening.contains(&inode),
                    _ => false,
                })
            })
        };
        all_processes().ok()?.flatten().find(holds).map(|process| process.pid)
    }
}

#[cfg(not(target_os = "linux"))]
mod proc {
    use super::Sample;

    pub(crate) fn sample(_pid: i32) -> Option<Sample> {
        None
    }

    pub(crate) fn listens_on(_port: u16) -> Option<i32> {
        None
    }
}

pub(super) use proc::{listens_on, sample};

/// Returns the ID of this process.
pub(super) fn own_pid() -> i32 {
    std::process::id().cast_signed()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_by_its_port_and_has_usage() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(listens_on(port), Some(own_pid()));
        assert!(sample(own_pid()).unwrap().memory_kib > 0);
        drop(listener);
        assert_eq!(listens_on(port), None);
    }

    #[test]
    fn usage_is_the_difference_of_two_samples() {
        let sample = |ms, memory_kib| Sample { cpu: Duration::from_millis(ms), memory_kib };
        let usage = sample(2_500, 2_048).since(sample(1_000, 1), Duration::from_secs(1));
        assert_eq!(usage, Usage { cores: 1.5, memory_mib: 2.0 });
    }
}
