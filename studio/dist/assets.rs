// Written by studio/build.mjs.
[
    ("account-FSMAP7C5.js", true, include_bytes!("account-FSMAP7C5.js")),
    ("keys-7ZISY53A.js", true, include_bytes!("keys-7ZISY53A.js")),
    ("long-text-MWFAJYJG.js", true, include_bytes!("long-text-MWFAJYJG.js")),
    ("operator-ZN4LOXZC.js", true, include_bytes!("operator-ZN4LOXZC.js")),
    ("pronunciation-CO2BVVLQ.js", true, include_bytes!("pronunciation-CO2BVVLQ.js")),
    ("quickstart-7YW5BNPY.js", true, include_bytes!("quickstart-7YW5BNPY.js")),
    ("shared-QXJZGSOG.js", true, include_bytes!("shared-QXJZGSOG.js")),
    ("shared-SNEQWRRW.js", true, include_bytes!("shared-SNEQWRRW.js")),
    ("studio-RPB7CA5Q.js", true, include_bytes!("studio-RPB7CA5Q.js")),
    ("studio-eaba9b619996.css", true, include_bytes!("studio-eaba9b619996.css")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
