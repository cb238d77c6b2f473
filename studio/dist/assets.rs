// Written by studio/build.mjs.
[
    ("account-DJAIBZNA.js", true, include_bytes!("account-DJAIBZNA.js")),
    ("keys-IRHMJ2U5.js", true, include_bytes!("keys-IRHMJ2U5.js")),
    ("long-text-XRFWSZUR.js", true, include_bytes!("long-text-XRFWSZUR.js")),
    ("operator-JPQX22LI.js", true, include_bytes!("operator-JPQX22LI.js")),
    ("pronunciation-4KVXJT7Z.js", true, include_bytes!("pronunciation-4KVXJT7Z.js")),
    ("quickstart-FHZJXJYE.js", true, include_bytes!("quickstart-FHZJXJYE.js")),
    ("shared-6XG2LFQX.js", true, include_bytes!("shared-6XG2LFQX.js")),
    ("shared-EO2CKTQD.js", true, include_bytes!("shared-EO2CKTQD.js")),
    ("studio-7P4BEQGB.js", true, include_bytes!("studio-7P4BEQGB.js")),
    ("studio-eaba9b619996.css", true, include_bytes!("studio-eaba9b619996.css")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
