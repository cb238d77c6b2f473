//! `/studio` over real sockets, as a browser asks for it.

mod pages;
