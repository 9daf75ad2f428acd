/// The groups of the navigation, in its order; each leads to its first page.
package enum DashboardGroup: String, CaseIterable {
    case now, fleet, money, administration

    var pages: [DashboardPage] { DashboardPage.allCases.filter { $0.group == self } }
}

/// The pages, in the order that they have in their groups.
package enum DashboardPage: String, CaseIterable {
    case overview, services, alarms, refused
    case stores, terminals, offline
    case sales, orders, shifts, debts, flags
    case overrides, log

    var path: String { self == .overview ? "/" : "/\(rawValue)" }

    var group: DashboardGroup {
        switch self {
        case .overview, .services, .alarms, .refused: .now
        case .stores, .terminals, .offline: .fleet
        case .sales, .orders, .shifts, .debts, .flags: .money
        case .overrides, .log: .administration
        }
    }
}

/// The fixed texts of the pages; a template writes `t.` and the name of a case.
package enum PageText {
    /// Of every page, of the login, and of columns that several pages have.
    package enum Frame: String, CaseIterable {
        case skip, navigation, signOut, signIn, storeAway, since, figures, live, disconnected, updated,
            search, filter, all, sort, apply, previous, next, nothing, of, newest, older, store, terminal,
            name, state, reason, when, by, until, version, detail, note, order, amount, type, received,
            day, week, password, firstTime, loginCode, newPassword, setPassword, withToken, token, choose,
            back,
            never, justNow, id, orderNumber, currency, count, cashier, timesOf
        /// Signs between texts, with the space of their language.
        case colon, comma, opening, closing
    }

    /// Of terminals, stores and offline periods.
    package enum Fleet: String, CaseIterable {
        case wrongNow, allWell, searchHint, mode, causes, outbox, oldest, contact, away, byStore, byMode,
            byContact, byOutbox, byVersion, sinceHead, online, offlineOrSilent, pending, system, enrolled,
            success, unconfirmed, report, lasts, began, length, noPeriods, legendNetwork, legendService,
            legendManual, awayTile, toBeSent, waitForPerson, goodsGone, periodsPlot,
            storesAway, telephone, location, zone, nothingKnown, storeOrTerminal, terminalId, oldestSince,
            ended, lengthSeconds, missingEntries, only, copied, handedIn, acceptHandedIn
    }

    /// Of services, overrides and the log.
    package enum Service: String, CaseIterable {
        case service, scope, source, history, evidence, failing, failedOf, overrideInForce, untilCleared,
            takeBack, waiting, confirm, confirmBy, notOwn, setOverride, forStore, forStoreOnly, ends,
            min15, h1, h4, h24, chainNote, inForce, noOverrides, chain, who, what, subject, outcome,
            intact, broken, operatorsDid, outcomeRefused, outcomeProposed, outcomeDone, end
    }

    /// Of alarms, flags and refused mutations.
    package enum Record: String, CaseIterable {
        case alarm, openOnly, openOne, acknowledged, acknowledge, lastTime, times, noAlarms, flag,
            dayReceived,
            flagsAre, noFlags, noRefusals, resolvedBy, resolve, resolved, keep, keepTerminal, keepServer,
            keptServer, keptTerminal, resolveNote, sent, serverHas, allRefused, refusedMutations,
            refusedMutation
    }

    /// Of sales and orders.
    package enum Sale: String, CaseIterable {
        case salesOf, businessDay, saleCount, gross, discounts, refunds, net, tax, noSales, byTender,
            tender, salesByStore, others, find, flagged, lines, article, barcode, quantity, price,
            payments, cameBack, mutation, sameDay, ordersOf, simulated, void, refund, total, change,
            refunded, approver, member, tillMode, ownDays, ownDay, sold, notBegun
    }

    /// Of shifts and debts.
    package enum Shift: String, CaseIterable {
        case shift, opened, closed, expected, counted, difference, noShifts, notClosed, disputedMeans,
            openByStore, byTax, rate, taxable, taxAmount, drawer, differences, figure, ofTerminal,
            ofHub, statements, epoch, key, noStatements, issued, debtsOpen, debtsAre, noDebts, taken,
            refusedAt, settle, settled, settleNote, allShifts, allDebts, noReason, float,
            journalEntries, lastHash, cashCounted, cardMachine, cardMachineAre, ofMachine, decidedCharged,
            decidedNotCharged, decidedVoided, decidedNotVoided, decidedRefunded, decidedNotRefunded, decidedBy
    }
}

/// Words of the hub's documents that the pages translate; a word of a later version is shown as it is.
package enum PageWord {
    package enum Role: String {
        case viewer, `operator`, manager, integrator
    }

    /// What decided on a service.
    package enum Source: String {
        case reports, probe, `operator`
    }

    /// Of an offline period, those whose colour a plot shows first.
    package enum Cause: String, CaseIterable {
        case network, service, manual, silent
    }

    /// What a terminal observed of its network.
    package enum NetworkFault: CaseIterable {
        /// Neither a cable nor a Wi-Fi.
        case noLink
        /// The hub's certificate has ended, or a clock is wrong.
        case certificate
        /// A certificate of a trusted authority that is made out to another name.
        case foreignName
        /// Somebody else responds in the hub's place, as the login page of a hotel does.
        case portal
        /// Names of hosts are not found.
        case names
        /// No host of the internet responds.
        case noInternet
        /// The internet responds and the hub does not.
        case hubDark
        /// Connections or responses get lost.
        case lost
    }

    package enum Service: String {
        case account, marketing, member, order, payment, product
    }

    package enum Order: String {
        case completed, voided, refunded, refundedInPart
    }
}

/// What came of a form, as the address of the page behind it names it.
package enum FormResult: String, Sendable {
    case set, proposed, confirmed, acknowledged, resolved, settled, cleared
}

/// Why a sign-in is refused.
package enum LoginRefusal: Hashable, Sendable {
    /// Name, password, code or token, which a stranger does not learn.
    case wrong
    /// The process has no store of orders, in which passwords are.
    case withoutStore
    case tooMany(seconds: Int64)
    /// The new password is too short or too long.
    case password(shortest: Int)
    case busy
}

/// A unit of a span of time in seconds; a language writes it behind the number.
package enum TimeUnit: Int64, CaseIterable {
    case day = 86_400
    case hour = 3600
    case minute = 60
    case second = 1
}
