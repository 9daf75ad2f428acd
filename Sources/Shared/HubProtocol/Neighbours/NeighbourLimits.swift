/// The fixed limits between the tills of one store, each with the reason of its size. What a store or a till
/// can set (`neighbours.*`) is a setting and not here.
package enum NeighbourLimits {
    /// The port that tills listen on unless another one is configured.
    package static let port: UInt16 = 7_710
    /// Tills that one till connects to. A store has some ten; more would keep a radio network busy with
    /// hellos.
    package static let neighbours = 16
    /// Addresses that are tried. A till may have one by cable and one by radio.
    package static let addresses = 32
    /// A request or response, in bytes. A hello has some two kilobytes; double is what a hostile till makes
    /// each other one read.
    package static let documentBytes = 64 << 10
    /// The head of a request or response, in bytes. Four lines of ours take 150.
    package static let headBytes = 2 << 10
    /// Requests that a till handles of one other in a second; what is above ends the connection.
    package static let requestsASecond = 20
    /// From one hello to the next while both tills are online, ±20 %. Half of it costs an idle till twice the
    /// wake-ups; doubled, nobody knows for three minutes that a till is gone.
    package static let helloInterval = Duration.seconds(30)
    /// The same while one of the two is offline.
    package static let offlineHelloInterval = Duration.seconds(5)
    /// How long what a till read from its disk for one hello is said in others, where nothing is known to
    /// have changed: below an interval, so that nobody hears the same twice. Half reads the disk twice as
    /// often; double delays by one hello what another process sold.
    package static let helloReuse = Duration.seconds(4)
    /// Between two hellos at once about new entries of a till without the hub. Half costs ten neighbours
    /// twice the hellos while it sells; with double a burnt till's last sale is less often known to be
    /// missing.
    package static let newsRest = Duration.seconds(2)
    /// Hellos that may be missed before a till counts as silent.
    package static let missedHellos = 3
    /// From the beginning of a connection to the response of its hello. A till of the same room takes
    /// milliseconds; one that accepts and says nothing is left after it.
    package static let exchange = Duration.seconds(4)
    /// The longest wait between two attempts at one address; the waits are 1, 2, 4 … 60 s.
    package static let longestRetry = Duration.seconds(60)
    /// A connection without a request for so long is closed: twice a long interval of hellos.
    package static let idle = Duration.seconds(75)
    /// Connections of one other till at a time: one for hellos, one for pieces, and one that replaces either.
    /// The oldest ends for a further one.
    package static let connectionsOfTill = 3
    /// Handshakes that are begun in a second, whoever comes. Each costs some 0.3 ms; sixteen tills that start
    /// at once are connected within the second.
    package static let handshakesASecond = 40
    /// Handshakes that are under way, whoever comes: each holds a descriptor for ``exchange`` at most.
    package static let handshakesAtOnce = 48
    /// Handshakes of one address in a second: a till that starts needs two of them.
    package static let handshakesOfAddressASecond = 8
    /// The same under way: those of a till's hello and pieces, each replaced once.
    package static let handshakesOfAddressAtOnce = 4

    /// How long anything waits for one neighbour that others could respond for, unless configured. A till of
    /// the same room responds in 20 ms; half would give up on a busy one, double is seen by a cashier.
    package static let wait = Duration.milliseconds(300)
    /// What can be configured of it, in milliseconds: below the round trip of a poor radio nobody responds in
    /// time, and above two seconds a cashier takes the till for dead.
    package static let waitRange = 50...2_000
    /// Days without the hub after which the keys of the others count as not confirmed, unless configured. A
    /// till that was revoked meanwhile is not known here; a week is longer than a line is away.
    package static let trustDays = 7
    /// Between two writes of what was witnessed: a till that loses power forgets the heads of so long.
    package static let witnessRest = Duration.seconds(5)

    // Notes.

    /// The canonical form of a note with its signature, in bytes. A parked cart's note with the longest name
    /// takes some 900; double is what a hostile till costs each neighbour's disk.
    package static let noteBytes = 2_048
    /// Notes that a till accepts of one maker within 24 hours. A busy till parks and refunds some hundreds of
    /// times a day; what is above stays with its maker, and an alarm is raised.
    package static let notesADay = 2_000
    /// The interval of ``notesADay``, by the reader's own monotonic clock: no maker's clock decides.
    package static let noteInterval = Duration.seconds(86_400)
    /// Notes kept of one maker in all its epochs: ten days at the limit of a day without a checkpoint, and 40
    /// MiB. Half would lose a week of a hub that is away; double is disk for a hostile till.
    package static let notesKept = 20_000
    /// Notes of one page. With notes of usual size a page is far below the 64 KiB of a document.
    package static let notesOfPage = 100
    /// Epochs of one maker whose lists are kept, the newest ones. Each is a restored or cloned disk.
    package static let epochsKept = 16
    /// Lists that one neighbour may name: those of 16 makers.
    package static let listsNamed = 16 * epochsKept
    /// Own notes after which a checkpoint is written. Half writes the open refunds twice as often; double
    /// keeps each till's memory of the store's notes twice as large.
    package static let checkpointEvery = 500
    /// The bytes that carts and refunds take in one part of a checkpoint. A note without them takes at most
    /// 800, so that a part stays below ``noteBytes``.
    package static let checkpointPartBytes = 1_200
    /// Refunds that a checkpoint repeats, by their maker's clock: the longest time in which receipts are
    /// taken back.
    package static let refundsKept = Duration.seconds(90 * 86_400)
    /// How long a till that starts waits for what its neighbours have of its own lists before it writes its
    /// first note: neighbours are connected within this time when their addresses are known.
    package static let startCheck = Duration.seconds(5)

    /// How long a till waits after a change before it looks what it has to note: nobody waits for a note.
    package static let noteLook = Duration.seconds(5)
    /// The same where nothing changes: an epoch or what the hub has acknowledged may be another one.
    package static let noteRest = Duration.seconds(600)

    // Claims.

    /// How long a person waits for the owner of a right. A till of the same room responds in 50 ms, with a
    /// sync of its disk; half would give up on a slow disk, double is a customer who waits for nothing.
    package static let claimWait = Duration.seconds(1)
    /// Granted carts that one till has and has not sold. A cashier takes up one at a time; a hostile till
    /// holds no more.
    package static let cartsGranted = 5
    /// Granted refunds of one till without a `refundMade`: what the hub reserves for one terminal.
    package static let refundsGranted = 20
    /// Parts of leases that one till is given by another one in a day: fifteen tills use 1,500 of the owner's
    /// 2,000 notes of a day. A till that sells to that many members whose points it lacks goes on without.
    package static let partsADay = 100
    /// How long a till that says hello and lets requests wait is not requested. A sale that meets it loses
    /// its wait once in this time; longer keeps a till out for more sales after its disk was busy twice.
    package static let silenceMemory = Duration.seconds(60)
    /// Copies of other tills' carts that one till has and has not sold, and the most of them that count to
    /// others: as many as it could have taken. A hostile till makes no more carts need an approval.
    package static let copiesUnsold = cartsGranted
    /// Sold copies of one till that count to others: what the customers of a till that burnt pay in an
    /// evening, at four times ``copiesUnsold``. Above it the newest count, and an alarm is raised.
    package static let copiesSold = 4 * copiesUnsold
    /// Cart claims that a till remembers of its own, the newest: a grant that none of them requested is left
    /// alone. Half forgets a claim of last week whose owner was off; double is nothing but rows.
    package static let cartClaimsKept = 200
    /// Claims whose responses were lost that are sent again at a time: each holds a connection for
    /// ``claimWait``.
    package static let claimsAtOnce = 4
    /// How long the note by which a cart came to a till may be missing before a person hears of it: lists
    /// of tills that can be reached come within seconds.
    package static let proofWait = Duration.seconds(60)
    /// Parked carts of one other till whose content is kept, those that were begun last: a counter has some
    /// five. Half fits a busy evening no more; double is disk for a hostile till, 40 KiB each.
    package static let cartsCopied = 50
    /// Between two requests for what is in a cart: with its hellos a till stays below what others accept.
    package static let cartRest = Duration.milliseconds(250)
    /// How long a taker was silent before its owner's person takes a granted refund back.
    package static let takenBackAfter = Duration.seconds(60)

    // Safekeeping.

    /// A piece with header and signature, in bytes: some 500 sales. Half costs twice as many syncs of a
    /// keeper; double holds the memory and the connection of a small till for longer.
    package static let pieceBytes = 512 * 1_024
    /// Between two looks at what waits, while the hub is away; each keeper gets a piece at most. Half costs a
    /// keeper twice as many syncs; with double a till that burns loses ten more seconds of sales.
    package static let copyInterval = Duration.seconds(5)
    /// The same while the hub is there and takes what waits within seconds.
    package static let onlineCopyInterval = Duration.seconds(60)
    /// The exchange of a piece, its sync at the keeper included: 512 KiB over a slow radio, to a slow disk.
    package static let pieceExchange = Duration.seconds(10)
    /// Between two looks at whether something has to be handed in.
    package static let relayInterval = Duration.seconds(60)
    /// A piece that the hub took without covering it, or cannot take for now, is handed in again after this.
    package static let relayAgain = Duration.seconds(3_600)
    /// One that the hub failed with, or what stands before it: five others of its maker are tried meanwhile.
    package static let failedAgain = Duration.seconds(300)
    /// A later signed end of the same till's journal is handed in after this. Half of it costs the keeper
    /// twice as much of its own quota; with twice of it less of what burnt with the till is named.
    package static let headAgain = Duration.seconds(600)
    /// One that the hub keeps for a person is handed in again after this: so the keeper learns what became of
    /// it. 64 MiB of them an hour would use up the keeper's own quota.
    package static let heldAgain = Duration.seconds(86_400)
    /// How long nothing is heard of a till before what it left is handed in.
    package static let silence = Duration.seconds(600)
    /// The same of a till that a person kept offline.
    package static let manualSilence = Duration.seconds(86_400)
    /// Runs of kept entries that a till names to their maker: one, and one more for each older disk that it
    /// ran from. What is above is named when those before it are at the hub.
    package static let runsNamed = 16
    /// How many neighbours keep a till's entries: one of them can burn too.
    package static let keepers = 2
    /// How long a keeper keeps what the hub does not have: longer than any receipt is taken back. The
    /// keeper's own running time counts: no clock that is set wrongly deletes what may be the only copy.
    package static let piecesKept = Duration.seconds(180 * 86_400)
    /// The unit in which that time is counted on disk. What a restart forgets of it only keeps pieces longer.
    package static let keepingStep = Duration.seconds(3_600)
    /// From this age on a piece that the hub does not have is an alarm.
    package static let pieceAlarm = Duration.seconds(7 * 86_400)
}
