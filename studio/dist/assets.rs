// Written by studio/build.mjs.
[
    ("account-VR5IOZ5Q.js", true, include_bytes!("account-VR5IOZ5Q.js")),
    ("keys-Y73DSQLW.js", true, include_bytes!("keys-Y73DSQLW.js")),
    ("long-text-KPXFEKWF.js", true, include_bytes!("long-text-KPXFEKWF.js")),
    ("operator-EOQEQAF4.js", true, include_bytes!("operator-EOQEQAF4.js")),
    ("pronunciation-5HY32JS2.js", true, include_bytes!("pronunciation-5HY32JS2.js")),
    ("quickstart-34VKEV6Z.js", true, include_bytes!("quickstart-34VKEV6Z.js")),
    ("shared-BVJNNUY6.js", true, include_bytes!("shared-BVJNNUY6.js")),
    ("shared-FGOUWXTY.js", true, include_bytes!("shared-FGOUWXTY.js")),
    ("studio-1d4be3d71b72.css", true, include_bytes!("studio-1d4be3d71b72.css")),
    ("studio-6MJ57YRX.js", true, include_bytes!("studio-6MJ57YRX.js")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
