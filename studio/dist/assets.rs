// Written by studio/build.mjs.
[
    ("account-IP2Q74EV.js", true, include_bytes!("account-IP2Q74EV.js")),
    ("keys-7O2ZWJQE.js", true, include_bytes!("keys-7O2ZWJQE.js")),
    ("long-text-ZO4FXGMW.js", true, include_bytes!("long-text-ZO4FXGMW.js")),
    ("operator-IFP5BMAV.js", true, include_bytes!("operator-IFP5BMAV.js")),
    ("pronunciation-ZOXQ4EUP.js", true, include_bytes!("pronunciation-ZOXQ4EUP.js")),
    ("quickstart-FM3T2XDH.js", true, include_bytes!("quickstart-FM3T2XDH.js")),
    ("shared-O7G2DQHY.js", true, include_bytes!("shared-O7G2DQHY.js")),
    ("shared-ZOODCKI4.js", true, include_bytes!("shared-ZOODCKI4.js")),
    ("studio-1d4be3d71b72.css", true, include_bytes!("studio-1d4be3d71b72.css")),
    ("studio-FKH2MWML.js", true, include_bytes!("studio-FKH2MWML.js")),
    ("icon.svg", false, include_bytes!("icon.svg")),
    ("theme.js", false, include_bytes!("theme.js")),
    ("worklet.js", false, include_bytes!("worklet.js")),
]
