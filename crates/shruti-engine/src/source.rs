//! Source of a speech stream.

use std::task::{Context, Poll};

use shruti_lang::Language;

use crate::chunk::StreamItem;
use crate::error::{Fault, PushError};

/// Source of a [`Speech`](crate::Speech): a stream of the engine, or a stream that another
/// [`Synthesizer`](crate::turn::Synthesizer) provides.
pub trait SpeechSource: Send + Sync {
    /// Implements [`Speech::push`](crate::Speech::push).
    fn push(&self, text: &str) -> Result<(), PushError>;
    /// Implements [`Speech::release`](crate::Speech::release).
    fn release(&self);
    /// Implements [`Speech::flush`](crate::Speech::flush).
    fn flush(&self);
    /// Implements [`Speech::finish`](crate::Speech::finish).
    fn finish(&self);
    /// Implements [`Speech::poll_item`](crate::Speech::poll_item).
    fn poll_item(&self, context: &mut Context<'_>) -> Poll<Option<Result<StreamItem, Fault>>>;
    /// Implements [`Speech::wants_text`](crate::Speech::wants_text).
    fn wants_text(&self) -> bool;
    /// Implements [`Speech::language`](crate::Speech::language).
    fn language(&self) -> Option<Language>;
    /// Implements [`Speech::engine`](crate::Speech::engine).
    fn engine(&self) -> Option<String>;
    /// Cancels the stream, because its [`Speech`](crate::Speech) was dropped.
    fn cancel(&self);
}
