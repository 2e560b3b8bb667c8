package dev.fairlead.verify.load.slurm;

import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Clients;
import dev.fairlead.verify.host.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Slurm of Debian: {@code tools/slurm/slurm.sh}, which documents its settings. */
final class SlurmPeer implements Peer {
  static final String SCRIPT = "tools/slurm/slurm.sh";
  static final int CLIENTS = 8;

  private static final Duration COMMAND = Duration.ofMinutes(2);
  private static final Duration STORED = Duration.ofMinutes(5);
  private static final List<String> NOTHING = List.of("-Q", "-o", "/dev/null", "-D", "/");

  /** Parts with a row of their own, by the name of the program. */
  private static final SortedMap<String, String> PARTS =
      new TreeMap<>(
          Map.of("slurmctld", "slurmctld", "slurmdbd", "slurmdbd", "mariadbd", "MariaDB"));

  private final Path programs;
  private final Path directory;
  private final Process process;
  private final String missing;
  private final AtomicInteger submitted = new AtomicInteger();

  /**
   * @param packages the directory of the unpacked packages
   * @throws StartFailed when it does not start
   */
  SlurmPeer(Path packages) {
    programs = packages.resolve("usr/bin");
    try {
      directory = Files.createTempDirectory("fairlead-slurm-");
      process =
          new ProcessBuilder(
                  WorkTree.root().resolve(SCRIPT).toString(),
                  "run",
                  packages.toString(),
                  directory.toString(),
                  Integer.toString(NODES),
                  Integer.toString(PLACES))
              .redirectError(Redirect.INHERIT)
              .start();
      String said = process.inputReader(StandardCharsets.UTF_8).readLine();
      if (said == null || !said.startsWith("ready")) {
        close();
        throw new StartFailed("Slurm did not start");
      }
      missing = said.equals("ready") ? "" : said.substring("ready, no ".length());
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  @Override
  public void submit() {
    submitted.incrementAndGet();
    batch("--wrap", "true");
  }

  @Override
  public void array(int elements) {
    submitted.addAndGet(elements);
    batch("--array=0-" + (elements - 1), "--wrap", "true");
  }

  private void batch(String... options) {
    List<String> words = new ArrayList<>(NOTHING);
    words.addAll(List.of(options));
    String said = command("sbatch", words.toArray(String[]::new));
    if (!said.isBlank()) {
      throw new IllegalStateException("sbatch said: " + said);
    }
  }

  @Override
  public boolean started() {
    return counter(command("sdiag"), "Jobs started:") >= submitted.get();
  }

  @Override
  public boolean ended() {
    return counter(command("sdiag"), "Jobs completed:") >= submitted.get();
  }

  /**
   * A counter in the output of {@code sdiag}.
   *
   * @throws IllegalStateException when the output does not have it
   */
  static long counter(String diagnostics, String name) {
    Matcher found = Pattern.compile(Pattern.quote(name) + " +([0-9]+)").matcher(diagnostics);
    if (!found.find()) {
      throw new IllegalStateException("sdiag has no \"" + name + "\": " + diagnostics);
    }
    return Long.parseLong(found.group(1));
  }

  @Override
  public void settle() throws InterruptedException {
    if (!missing.isEmpty()) {
      return;
    }
    long until = System.nanoTime() + STORED.toNanos();
    while (completed() < submitted.get()) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException(
            "the accounting has %d completed jobs of %d".formatted(completed(), submitted.get()));
      }
      Thread.sleep(500);
    }
  }

  private long completed() {
    return command("sacct", "-a", "-n", "-X", "-S", "now-1day", "-o", "state%12")
        .lines()
        .filter(state -> state.contains("COMPLETED"))
        .count();
  }

  @Override
  public SortedMap<String, Double> cpuMillis() {
    SortedMap<String, Double> millis = new TreeMap<>();
    Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .forEach(one -> millis.merge(part(one), Processes.familyMillis(one.pid()), Double::sum));
    return millis;
  }

  private static String part(ProcessHandle one) {
    String program =
        one.info().command().map(path -> Path.of(path).getFileName().toString()).orElse("");
    return PARTS.getOrDefault(program.replace("-wlm", ""), "nodes and jobs");
  }

  @Override
  public void fill(int jobs) throws InterruptedException {
    command("scontrol", "update", "nodename=ALL", "state=drain", "reason=bench");
    Clients.each(CLIENTS, jobs, this::submit);
  }

  @Override
  public SortedMap<String, Runnable> questions() {
    String last = command("squeue", "-h", "-o", "%i", "-S", "-i").lines().findFirst().orElseThrow();
    SortedMap<String, Runnable> questions = new TreeMap<>();
    questions.put("squeue, all jobs", () -> command("squeue"));
    questions.put("squeue, one job", () -> command("squeue", "-j", last));
    questions.put("scontrol show job, one job", () -> command("scontrol", "show", "job", last));
    questions.put("scontrol show job, all jobs", () -> command("scontrol", "show", "job"));
    return questions;
  }

  private String command(String program, String... words) {
    List<String> line = new ArrayList<>(List.of(programs.resolve(program).toString()));
    line.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    Path libraries = programs.resolveSibling("lib");
    try (Stream<Path> entries = Files.list(libraries)) {
      Path of =
          entries.filter(one -> one.toString().endsWith("-linux-gnu")).findFirst().orElseThrow();
      builder.environment().put("LD_LIBRARY_PATH", of + ":" + of.resolve("slurm-wlm"));
      builder.environment().put("SLURM_CONF", directory.resolve("slurm.conf").toString());
      Process run = builder.start();
      String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!run.waitFor(COMMAND.toSeconds(), TimeUnit.SECONDS) || run.exitValue() != 0) {
        run.destroyForcibly();
        throw new IllegalStateException(program + " failed: " + said);
      }
      return said;
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(program + " was interrupted", stopped);
    }
  }

  @Override
  public String missing() {
    return missing;
  }

  /** The script and all Slurm processes end when its input is closed. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      process.onExit().join();
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
