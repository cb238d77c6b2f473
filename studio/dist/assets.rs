// Written by studio/build.mjs.
[
    ("account-F36N75KJ.js", true, include_bytes!("account-F36N75KJ.js")),
    ("keys-FMEHTJ6Y.js", true, include_bytes!("keys-FMEHTJ6Y.js")),
    ("long-text-BQM6V5ZY.js", true, include_bytes!("long-text-BQM6V5ZY.js")),
    ("operator-PJ7OTLQL.js", true, include_bytes!("operator-PJ7OTLQL.js")),
    ("pronunciation-TCOQCRPE.js", true, include_bytes!("pronunciation-TCOQCRPE.js")),
    ("quickstart-R6L676ZA.js", true, include_bytes!("quickstart-R6L676ZA.js")),
    ("shared-IS24UM2E.js", true, include_bytes!("shared-IS24UM2E.js")),
    ("shared-LU4DS2VM.js", true, include_bytes!("shared-LU4DS2VM.js")),
    ("studio-7SQIYWEB.js", true, include_bytes!("studio-7SQIYWEB.js")),
    ("studio-eaba9b619996.css", true, include_bytes!("studio-eaba9b619996.css")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
