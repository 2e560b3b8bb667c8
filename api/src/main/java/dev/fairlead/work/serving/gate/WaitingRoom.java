package dev.fairlead.work.serving.gate;

import dev.fairlead.work.serving.service.GatedService;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The requests in the gate, and the services as they were last read. */
final class WaitingRoom {
  private final GateSettings settings;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition updated = lock.newCondition();
  private final SortedMap<String, Integer> present = new TreeMap<>();
  private final Set<Place> places = new HashSet<>();
  private SortedMap<String, GatedService> services = new TreeMap<>();
  private boolean closed;

  WaitingRoom(GateSettings settings) {
    this.settings = settings;
  }

  Optional<GatedService> find(String host) {
    lock.lock();
    try {
      return Optional.ofNullable(services.get(host));
    } finally {
      lock.unlock();
    }
  }

  /**
   * A slot for the request of the current thread, empty if the gate or the share of the service is
   * full, or if the gate closes.
   */
  Optional<Place> enter(String host, RequestBody body) {
    lock.lock();
    try {
      int ofService = present.getOrDefault(host, 0);
      if (closed
          || places.size() >= settings.requests()
          || ofService >= settings.requestsOfService()) {
        return Optional.empty();
      }
      Place place = new Place(body, left -> leave(host, left));
      places.add(place);
      present.put(host, ofService + 1);
      return Optional.of(place);
    } finally {
      lock.unlock();
    }
  }

  private void leave(String host, Place place) {
    lock.lock();
    try {
      places.remove(place);
      present.computeIfPresent(host, (any, count) -> count == 1 ? null : count - 1);
    } finally {
      lock.unlock();
    }
  }

  /** Ends the requests of disconnected clients, and responses that are silent for too long. */
  void look() {
    for (Place place : places()) {
      place.look(settings.streamIdle());
    }
  }

  private List<Place> places() {
    lock.lock();
    try {
      return List.copyOf(places);
    } finally {
      lock.unlock();
    }
  }

  /** Hosts with requests in the gate. */
  SortedSet<String> hosts() {
    lock.lock();
    try {
      return Collections.unmodifiableSortedSet(new TreeSet<>(present.keySet()));
    } finally {
      lock.unlock();
    }
  }

  int requests() {
    return places().size();
  }

  void update(SortedMap<String, GatedService> read) {
    lock.lock();
    try {
      services = read;
      updated.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until a version of the service has traffic.
   *
   * @param again whether the current state is known to have no replica here, so that only a later
   *     one counts
   * @return empty after the time, without the service, and when the gate closes
   */
  Optional<GatedService> open(String host, Duration atMost, boolean again)
      throws InterruptedException {
    lock.lock();
    try {
      long left = atMost.toNanos();
      boolean stale = again;
      while (left > 0 && !closed) {
        GatedService service = services.get(host);
        if (service == null || service.open() && !stale) {
          return Optional.ofNullable(service);
        }
        left = updated.awaitNanos(left);
        stale = false;
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** Refuses all waiting and later requests, and waits for forwarded requests to end. */
  void close(Duration atMost) {
    lock.lock();
    try {
      closed = true;
      updated.signalAll();
    } finally {
      lock.unlock();
    }
    long end = System.nanoTime() + atMost.toNanos();
    while (requests() > 0 && System.nanoTime() < end && !Thread.currentThread().isInterrupted()) {
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
