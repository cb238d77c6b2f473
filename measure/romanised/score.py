#!/usr/bin/env python3
"""Scores the words of code-mixed lines: score.py SHRUTI FILE [-v] [--told]"""
import json,subprocess,sys,unicodedata,collections
args=[a for a in sys.argv[1:] if not a.startswith('-')]
bin_,path=args[:2]; verbose='-v' in sys.argv; told='--told' in sys.argv
rows=[l.rstrip('\n').split('\t') for l in open(path,encoding='utf-8') if l.count('\t')==2]
def norm(s):
    s=unicodedata.normalize('NFD',s).replace('\u200c','').replace('\u200d','')
    return unicodedata.normalize('NFC',s).lower().replace("'",'').replace('’','')
def run(lines,lang):
    out=subprocess.run([bin_,'normalize','--json']+(['-l',lang] if lang else []),input='\n'.join(lines)+'\n',capture_output=True,text=True).stdout
    return [json.loads(x) for x in out.rstrip('\n').split('\n')]
def phones(words_lang):
    # returns the phones of native spellings, by spelling and language
    by=collections.defaultdict(set)
    for w,l in words_lang: by[l].add(w)
    res={}
    for l,ws in by.items():
        ws=sorted(ws)
        got=run(ws,l)
        for w,g in zip(ws,got): res[(w,l)]=' '.join(x['phones'] for t in g['tokens'] for x in t['words'])
    return res
langs=sorted(set(r[0] for r in rows))
tot=collections.Counter(); ok=collections.Counter(); bad=collections.Counter()
need=[]
for lang,line,target in rows:
    for item in target.split('|'):
        if item=='-': continue
        for alt in item.split('/'):
            alt=alt.strip()
            if alt.startswith('en:'): need.append((alt[3:],'en'))
            elif alt: need.append((alt, 'en' if alt.isascii() else lang))
ph=phones(need)
for lang in langs:
    sel=[r for r in rows if r[0]==lang]
    got=run([r[1] for r in sel], lang if told else None)
    for (l,line,target),g in zip(sel,got):
        items=target.split('|'); toks=line.split()
        # character ranges of the tokens
        spans=[]; pos=0
        for t in toks:
            i=line.index(t,pos); spans.append((i,i+len(t))); pos=i+len(t)
        for (a,b),item,t in zip(spans,items,toks):
            if item=='-': continue
            words=[w for k in g['tokens'] if k['start']<b and k['end']>a for w in k['words']]
            said=' '.join(w['phones'] for w in words); text=norm(' '.join(w['text'] for w in words))
            good=False; kind='en' if item.startswith('en:') and '/' not in item else 'own' if 'en:' not in item else 'either'
            for alt in item.split('/'):
                alt=alt.strip(); 
                if not alt: continue
                if alt.startswith('en:'): good|= said==ph[(alt[3:],'en')] or (all(w['language']=='en' for w in words) and text==norm(alt[3:]))
                else: good|= said==ph[(alt,'en' if alt.isascii() else lang)]
            tot[lang,kind]+=1; ok[lang,kind]+=good
            if not good: bad[f"{lang} {t}: {text} [{','.join(w['language'] for w in words)}] for {item}"]+=1
T=sum(tot.values()); K=sum(ok.values())
for l in langs:
    n=sum(v for k,v in tot.items() if k[0]==l); k=sum(v for q,v in ok.items() if q[0]==l)
    print(l,'%.1f'%(100*k/n),{q[1]:'%d/%d'%(ok[q],tot[q]) for q in tot if q[0]==l})
print('all %.1f (%d of %d)'%(100*K/T,K,T))
if verbose:
    for b,n in bad.most_common(500): print('  ',n,b)
