//! Mails by way of an SMTP server.
//!
//! [`Mailer::send`] never makes its caller wait: a mail that finds no place is dropped and counted, and so is one that the
//! server refuses for good or that could not be handed in after some tries. No log line holds an address.

mod address;
mod mailer;
mod trouble;

pub use address::{InvalidSmtpAddress, SmtpAddress};
pub use mailer::{Counts, Mail, MailError, Mailer, RetryPlan, Sender};
pub use trouble::{Trouble, TroubleKind};
