internal import Glibc

/// Lets a caller wait until the relay's thread has applied its change.
final class TakenChanges: @unchecked Sendable {
    // Guarded by `mutex`.
    private var last = 0
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Everything up to `change` is in force.
    func announce(_ change: Int) {
        pthread_mutex_lock(mutex)
        last = max(last, change)
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    func wait(for change: Int) {
        pthread_mutex_lock(mutex)
        while last < change { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }
}
