// Written by studio/build.mjs.
[
    ("account-KINHIWSX.js", true, include_bytes!("account-KINHIWSX.js")),
    ("keys-U2YURZW7.js", true, include_bytes!("keys-U2YURZW7.js")),
    ("long-text-TOJ6URV6.js", true, include_bytes!("long-text-TOJ6URV6.js")),
    ("operator-PYZ4HFSP.js", true, include_bytes!("operator-PYZ4HFSP.js")),
    ("pronunciation-XNC62MK4.js", true, include_bytes!("pronunciation-XNC62MK4.js")),
    ("quickstart-EOQYVD6E.js", true, include_bytes!("quickstart-EOQYVD6E.js")),
    ("shared-6OFJ6JSC.js", true, include_bytes!("shared-6OFJ6JSC.js")),
    ("shared-GGMBTWUG.js", true, include_bytes!("shared-GGMBTWUG.js")),
    ("studio-GPGRE6HZ.js", true, include_bytes!("studio-GPGRE6HZ.js")),
    ("studio-eaba9b619996.css", true, include_bytes!("studio-eaba9b619996.css")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
