//! Mail delivery through an SMTP server.
//!
//! [`Mailer::send`] never blocks its caller. An email is dropped and counted if the queue is full, if the server
//! rejects it permanently, or if all retries fail. Log lines do not contain email addresses.

mod address;
mod mailer;
mod server_error;

pub use address::{InvalidSmtpAddress, SmtpAddress};
pub use mailer::{Counts, Mail, MailError, Mailer, RetryPlan, Sender};
pub use server_error::{MailServerError, MailServerErrorKind};
