// Written by studio/build.mjs.
[
    ("account-Z4JRXSJA.js", true, include_bytes!("account-Z4JRXSJA.js")),
    ("keys-BH4FENDU.js", true, include_bytes!("keys-BH4FENDU.js")),
    ("long-text-CTRQOMWP.js", true, include_bytes!("long-text-CTRQOMWP.js")),
    ("operator-LJTG43JW.js", true, include_bytes!("operator-LJTG43JW.js")),
    ("pronunciation-4UWHZ6FW.js", true, include_bytes!("pronunciation-4UWHZ6FW.js")),
    ("quickstart-G5BHBCW5.js", true, include_bytes!("quickstart-G5BHBCW5.js")),
    ("shared-HIO7Y4L5.js", true, include_bytes!("shared-HIO7Y4L5.js")),
    ("shared-ZWN4RIHQ.js", true, include_bytes!("shared-ZWN4RIHQ.js")),
    ("studio-1d4be3d71b72.css", true, include_bytes!("studio-1d4be3d71b72.css")),
    ("studio-M42DEM2M.js", true, include_bytes!("studio-M42DEM2M.js")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
