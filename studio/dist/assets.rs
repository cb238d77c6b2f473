// Written by studio/build.mjs.
[
    ("account-YZED77HQ.js", true, include_bytes!("account-YZED77HQ.js")),
    ("keys-53YD77QX.js", true, include_bytes!("keys-53YD77QX.js")),
    ("long-text-F5TXPMAB.js", true, include_bytes!("long-text-F5TXPMAB.js")),
    ("operator-Q763FBMG.js", true, include_bytes!("operator-Q763FBMG.js")),
    ("pronunciation-PAXR3ZBJ.js", true, include_bytes!("pronunciation-PAXR3ZBJ.js")),
    ("quickstart-S44KWJIV.js", true, include_bytes!("quickstart-S44KWJIV.js")),
    ("shared-A5R6JVXF.js", true, include_bytes!("shared-A5R6JVXF.js")),
    ("shared-I7XYMCIX.js", true, include_bytes!("shared-I7XYMCIX.js")),
    ("studio-1d4be3d71b72.css", true, include_bytes!("studio-1d4be3d71b72.css")),
    ("studio-LYEL5KSN.js", true, include_bytes!("studio-LYEL5KSN.js")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
