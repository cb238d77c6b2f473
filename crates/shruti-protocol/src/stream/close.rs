//! Close codes of the WebSocket.

use std::fmt;

macro_rules! close_codes {
    ($($variant:ident $code:literal $name:literal $meaning:literal;)*) => {
        /// Close code of the stream. The close reason is `<name> <request id>`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum CloseCode {
            $(#[doc = $meaning] $variant,)*
        }

        impl CloseCode {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the numeric code.
            pub const fn number(self) -> u16 {
                match self { $(Self::$variant => $code,)* }
            }

            /// Returns the name, as in the close reason.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the meaning, as a sentence for the documentation.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// Returns the close code with this number, or `None` if there is none.
            pub fn from_number(number: u16) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.number() == number)
            }
        }
    };
}

close_codes! {
    Normal 1000 "normal" "The client requested the end of the connection.";
    GoingAway 1001 "shutdown" "The server is shutting down.";
    ProtocolError 1002 "protocol_error" "The client sent a frame that RFC 6455 forbids.";
    Unsupported 1003 "binary_not_supported" "The client sent a binary frame.";
    InvalidUtf8 1007 "invalid_utf8" "The client sent text that is not UTF-8.";
    TooBig 1009 "message_too_big" "A message was larger than 64 KiB.";
    Internal 1011 "internal" "An internal error occurred.";
    Restart 1012 "restart" "The server is restarting; connect again.";
    Overloaded 1013 "overloaded" "The server is at capacity.";
    TooManyErrors 4400 "too_many_errors" "More than 10 messages in a minute were malformed.";
    Unauthorized 4401 "unauthorized" "The key or the token is invalid or no longer valid.";
    QuotaExhausted 4402 "quota_exhausted" "The rest of the allowance or of the cap does not cover the turn.";
    Forbidden 4403 "forbidden" "The key's scope or account, or the page's origin, does not allow it.";
    Idle 4408 "idle" "There were no messages and no audio for too long, or two pings were not answered.";
    KeyRevoked 4410 "key_revoked" "The key was revoked.";
    TooManyStreams 4429 "too_many_streams" "The key has reached its maximum number of concurrent streams.";
    SessionTooLong 4440 "session_too_long" "The connection reached its maximum duration.";
}

impl fmt::Display for CloseCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_map_to_codes() {
        for &code in CloseCode::ALL {
            assert_eq!(CloseCode::from_number(code.number()), Some(code));
            assert!(code.name().len() < 100, "a close reason has room for 123 bytes");
        }
    }
}
