package dev.fairlead.verify.faults.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Signals to processes that this program started. */
public final class Signals {
  private static final long WAIT_SECONDS = 60;

  private Signals() {}

  /**
   * Sends {@code KILL}, {@code STOP}, {@code CONT} or {@code QUIT}. A process that has already
   * ended is not an error.
   */
  public static void send(String signal, Stream<ProcessHandle> processes) {
    List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
    processes.forEach(process -> command.add(Long.toString(process.pid())));
    if (command.size() == 2) {
      return;
    }
    try {
      Process kill =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!kill.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException(command + " did not end");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
