import { getDomainWithoutSuffix } from 'tldts'

/**
 * Domains of mailbox and internet access providers, which say nothing about an employer: the large ones of each
 * country, collected by hand. Public lists lack common providers (gmx.ch, posteo.de, tuta.com) and include companies
 * that may be prospects (alibaba.com, discovery.com).
 */
const freeMailDomains = new Set(
  `
  appleid.com duck.com fastmail.fm googlemail.com hey.com hush.com hushmail.com icloud.com inbox.com mac.com mail.com
  me.com msn.com passport.com pm.me pobox.com proton.me rocketmail.com runbox.com startmail.com tuta.com tuta.io
  ymail.com zoho.com zoho.eu zohomail.com zohomail.eu email.com usa.com post.com europe.com mailfence.com disroot.org
  riseup.net simplelogin.com simplelogin.co anonaddy.com addy.io mozmail.com skiff.com kolabnow.com ctemplar.com
  live.com live.at live.be live.ca live.cl live.cn live.com.ar live.com.au live.com.mx live.com.my live.com.ph
  live.com.pt live.com.sg live.co.kr live.co.uk live.co.za live.de live.dk live.fi live.fr live.hk live.ie live.in
  live.it live.jp live.nl live.no live.ru live.se windowslive.com

  alice-dsl.net alice.de arcor.de directbox.com e-mail.de email.de freenet.de freenetmail.de magenta.de mail.de
  mailbox.org netcologne.de o2online.de online.de onlinehome.de osnanet.de t-online.de vodafone.de vodafonemail.de
  versanet.de web.de ewetel.net ewe.net htp-tel.de kabelmail.de unitybox.de 1und1.de
  a1.net aon.at chello.at drei.at inode.at kabsi.at liwest.at tele2.at utanet.at
  bluemail.ch bluewin.ch hispeed.ch quickline.ch sunrise.ch swissonline.ch

  aliceadsl.fr bbox.fr club-internet.fr free.fr laposte.net libertysurf.fr neuf.fr noos.fr numericable.fr
  orange.fr sfr.fr voila.fr wanadoo.fr
  telenet.be skynet.be proximus.be scarlet.be voo.be pandora.be
  casema.nl chello.nl hetnet.nl home.nl kpnmail.nl kpnplanet.nl online.nl onsnet.nl planet.nl quicknet.nl solcon.nl
  telfort.nl upcmail.nl versatel.nl xs4all.nl zeelandnet.nl ziggo.nl zonnet.nl
  blueyonder.co.uk btconnect.com btinternet.com btopenworld.com freeserve.co.uk lineone.net ntlworld.com o2.co.uk
  plus.com plusnet.com sky.com talk21.com talktalk.net tesco.net tiscali.co.uk virgin.net virginmedia.com
  eircom.net iol.ie

  alice.it aruba.it email.it fastwebnet.it inwind.it iol.it libero.it poste.it supereva.it tim.it tin.it tiscali.it
  virgilio.it vodafone.it
  ono.com orange.es telefonica.net terra.es ya.com clix.pt iol.pt netcabo.pt sapo.pt telepac.pt
  c2i.net frisurf.no online.no start.no telia.com telenor.dk bredband.net bredband2.com comhem.se home.se spray.se
  passagen.se tele2.se ownit.nu jubii.dk mail.dk stofanet.dk youmail.dk elisanet.fi kolumbus.fi luukku.com pp.inet.fi
  saunalahti.fi suomi24.fi simnet.is

  centrum.cz centrum.sk atlas.cz azet.sk email.cz post.cz post.sk seznam.cz volny.cz zoznam.sk
  gazeta.pl int.pl interia.eu interia.pl neostrada.pl o2.pl onet.eu onet.pl op.pl poczta.fm poczta.onet.pl tlen.pl
  vp.pl wp.pl autograf.pl go2.pl
  citromail.hu freemail.hu indamail.hu t-online.hu vipmail.hu
  abv.bg dir.bg mail.bg forthnet.gr otenet.gr hol.gr in.gr net.hr inet.hr siol.net clicknet.ro
  hot.ee mail.ee inbox.lt inbox.lv mail.lv apollo.lv delfi.lt one.lt
  bigmir.net i.ua meta.ua ukr.net tut.by bk.ru e1.ru inbox.ru internet.ru list.ru mail.ru mail.ua narod.ru ngs.ru
  pochta.ru qip.ru rambler.ru ro.ru ya.ru xmail.ru
  superonline.com mynet.com turk.net ttmail.com

  adelphia.net aim.com ameritech.net att.net bellsouth.net cableone.net centurylink.net centurytel.net charter.net
  comcast.net compuserve.com cox.net cs.com earthlink.net embarqmail.com excite.com frontier.com frontiernet.net
  fuse.net juno.com lycos.com mindspring.com netscape.net netzero.com netzero.net optimum.net optonline.net pacbell.net
  prodigy.net ptd.net q.com roadrunner.com rr.com sbcglobal.net suddenlink.net swbell.net tds.net twc.com
  verizon.net windstream.net worldnet.att.net wowway.com
  bell.net cogeco.ca eastlink.ca mts.net rogers.com sasktel.net shaw.ca sympatico.ca telus.net videotron.ca
  bigpond.com bigpond.net.au dodo.com.au iinet.net.au internode.on.net iprimus.com.au optusnet.com.au ozemail.com.au
  tpg.com.au westnet.com.au xtra.co.nz slingshot.co.nz orcon.net.nz

  bol.com.br globo.com globomail.com ig.com.br oi.com.br r7.com terra.com.br uol.com.br zipmail.com.br
  arnet.com.ar ciudad.com.ar fibertel.com.ar speedy.com.ar prodigy.net.mx infinitum.com.mx terra.cl vtr.net une.net.co
  mweb.co.za telkomsa.net vodamail.co.za webmail.co.za iafrica.com absamail.co.za

  126.com 139.com 163.com 163.net 188.com 189.cn 21cn.com aliyun.com foxmail.com qq.com sina.cn sina.com sina.com.cn
  sogou.com sohu.com tom.com vip.qq.com wo.cn yeah.net hinet.net pchome.com.tw seed.net.tw netvigator.com singnet.com.sg
  starhub.net.sg pacific.net.sg
  au.com auone-net.jp biglobe.ne.jp docomo.ne.jp excite.co.jp ezweb.ne.jp goo.jp infoseek.jp nifty.com ocn.ne.jp
  odn.ne.jp plala.or.jp so-net.ne.jp softbank.jp softbank.ne.jp vodafone.ne.jp willcom.com ybb.ne.jp ymobile.ne.jp
  daum.net dreamwiz.com hanmail.net kakao.com korea.com lycos.co.kr nate.com naver.com paran.com
  indiatimes.com rediff.com rediffmail.com sify.com vsnl.com vsnl.net bsnl.in sancharnet.in
  emirates.net.ae eim.ae maktoob.com walla.co.il walla.com netvision.net.il bezeqint.net zahav.net.il 012.net.il
  `
    .trim()
    .split(/\s+/),
)

/** Brands that offer mailboxes under many country suffixes and nothing else. */
const freeMailBrands = new Set(
  'aol fastmail gmail gmx googlemail hotmail mailinator outlook posteo protonmail tutanota yahoo yandex yopmail'.split(
    ' ',
  ),
)

/** Reports whether anyone can get a mailbox on the domain (canonical form). */
export const isFreeMail = (domain: string): boolean =>
  freeMailDomains.has(domain) || freeMailBrands.has(getDomainWithoutSuffix(domain) ?? '')
