package dev.fairlead.verify.load.health;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Clients;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.load.submit.BenchFleet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.node.ObjectNode;

/** A cluster with reporting monitors, and readers of its devices. */
final class Monitors {
  private static final String CLUSTER = "monitored";
  private static final int WARM_UP = 20;

  private final LocalFairlead fairlead;
  private final FairleadApi api;
  private final Size size;
  private final AtomicInteger numbers = new AtomicInteger();
  private List<KnownDevices.Known> there = List.of();
  private List<KnownDevices.Known> sought = List.of();

  Monitors(LocalFairlead fairlead, Size size) {
    this.fairlead = fairlead;
    this.api = fairlead.api();
    this.size = size;
  }

  /** Creates the cluster, its devices and their reports of six days. */
  void prepare() throws InterruptedException, SQLException {
    BenchFleet.register(api, CLUSTER, size.nodes(), 8);
    KnownDevices devices = new KnownDevices(fairlead.database());
    devices.store(CLUSTER, size);
    there = devices.inService();
    sought = devices.sample(size.reads());
  }

  /** Reports faults one after the other, each of another node, which is released after it. */
  Percentiles faults(int faults) {
    List<Duration> took = new ArrayList<>();
    for (int i = 0; i < faults + WARM_UP; i++) {
      KnownDevices.Known device = there.get(i * 8 % there.size());
      ObjectNode event = event(device, Reports.FATAL);
      long start = System.nanoTime();
      Reports.fault(api, CLUSTER, event);
      if (i >= WARM_UP) {
        took.add(Duration.ofNanos(System.nanoTime() - start));
      }
      Reports.release(api, device.node());
    }
    return new Percentiles(took);
  }

  private ObjectNode event(KnownDevices.Known device, int xid) {
    return Reports.event(
        String.valueOf(numbers.incrementAndGet()), device.node(), device.uuid(), xid);
  }

  /** A stream for the devices in service. */
  EventStream stream() {
    return new EventStream(api, CLUSTER, there);
  }

  /** Reads by serial number and by UUID in turn. */
  Percentiles lookups(int reads) throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    return reads(
        reads,
        () -> {
          int i = next.getAndIncrement();
          KnownDevices.Known device = sought.get(i % sought.size());
          api.get("/gpus/" + (i % 2 == 0 ? device.serial() : device.uuid()));
        });
  }

  Percentiles histories(int reads) throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    return reads(
        reads,
        () -> {
          KnownDevices.Known device = sought.get(next.getAndIncrement() % sought.size());
          api.get("/gpus/" + device.serial() + "/history");
        });
  }

  private static Percentiles reads(int reads, Runnable read) throws InterruptedException {
    Clients.each(1, WARM_UP * 5, read);
    return new Percentiles(Clients.each(1, reads, read));
  }
}
