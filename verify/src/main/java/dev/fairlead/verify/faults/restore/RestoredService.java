package dev.fairlead.verify.faults.restore;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LoopbackPorts;
import dev.fairlead.launcher.ServiceProcess;
import dev.fairlead.launcher.ServiceSettings;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.faults.chaos.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One process of the service with production leases, from its start to its kill. */
final class RestoredService implements AutoCloseable {
  private static final Duration READY_WAIT = Duration.ofMinutes(5);
  private static final Pattern DIVERGENCE =
      Pattern.compile("attempt (att_\\S+) is (UNKNOWN_HERE|ENDED_HERE|MISSING_THERE): ([^\"\n]*)");
  private final ServiceProcess process;
  private final Path log;
  private final FairleadApi api;
  private final Duration start;

  private RestoredService(ServiceProcess process, Path log) throws InterruptedException {
    this.process = process;
    this.log = log;
    this.api = new FairleadApi(process.address(), null);
    this.start = process.awaitReady(READY_WAIT);
  }

  static RestoredService start(
      ArchivedServer server, Path scratch, String name, LoopbackPorts ports)
      throws InterruptedException {
    SortedMap<String, String> environment = new TreeMap<>();
    environment.put("FAIRLEAD_DB_URL", server.url());
    environment.put("FAIRLEAD_DB_USER", server.user());
    environment.put("FAIRLEAD_DB_PASSWORD", server.password());
    environment.put("FAIRLEAD_BIND", "127.0.0.1");
    environment.put("FAIRLEAD_KEY_FILE", scratch.resolve("key").toString());
    environment.put("FAIRLEAD_EGRESS_ALLOW", "127.0.0.0/8");
    List<String> flags = new ArrayList<>(ServiceSettings.QUICK);
    flags.add("-Xmx512m");
    Path log = scratch.resolve(name + ".log");
    ServiceSettings settings =
        new ServiceSettings(WorkTree.serviceClasspath(), flags, environment, ports, log);
    ServiceProcess process = ServiceProcess.start(settings);
    try {
      return new RestoredService(process, log);
    } catch (RuntimeException | InterruptedException failed) {
      process.close();
      throw failed;
    }
  }

  FairleadApi api() {
    return api;
  }

  /** Time from the start of the process to its readiness. */
  Duration start() {
    return start;
  }

  /** Differences between database and cluster in its log, one line an attempt. */
  SortedSet<String> divergences() {
    SortedSet<String> named = new TreeSet<>();
    try {
      Matcher said = DIVERGENCE.matcher(Files.readString(log));
      while (said.find()) {
        named.add(said.group(2) + " " + said.group(1) + ": " + said.group(3).strip());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return named;
  }

  /** Sends SIGKILL. */
  void kill() {
    ProcessHandle.of(process.pid())
        .ifPresent(p -> {
          Signals.send("KILL", Stream.of(p));
          p.onExit().join();
        });
    api.close();
  }

  @Override
  public void close() {
    api.close();
    process.close();
  }
}
