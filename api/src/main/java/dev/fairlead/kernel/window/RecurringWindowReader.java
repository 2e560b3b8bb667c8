package dev.fairlead.kernel.window;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads a recurring window from a request body. */
public final class RecurringWindowReader {
  private static final int LONGEST_CRON = 200;
  private static final int LONGEST_ZONE = 64;
  private static final Duration LEAST = Duration.ofMinutes(1);

  private RecurringWindowReader() {}

  /** Reads the fields of an item, which may have other fields. Empty if a problem was reported. */
  public static Optional<RecurringWindow> read(Value item, Fields fields) {
    Optional<Cron> cron =
        fields
            .required("cron", "the start times as a cron expression, such as 0 22 * * 1-5.")
            .flatMap(v -> v.text(LONGEST_CRON).flatMap(text -> made(v, () -> Cron.parse(text))));
    Optional<Duration> duration =
        fields
            .required("duration", "the duration, such as 8h.")
            .flatMap(v ->
                v.duration(LEAST, RecurringWindow.LONGEST)
                    .flatMap(d ->
                        d.toSecondsPart() == 0 && d.toMillisPart() == 0
                            ? Optional.of(d)
                            : v.bad("must be whole minutes", null)));
    Optional<ZoneId> zone =
        fields
            .required("timezone", "an IANA time zone, such as Europe/Berlin.")
            .flatMap(v ->
                v.text(LONGEST_ZONE).flatMap(text -> made(v, () -> RecurringWindow.zone(text))));
    return cron.flatMap(c ->
        duration.flatMap(d -> zone.flatMap(z -> made(item, () -> RecurringWindow.of(c, d, z)))));
  }

  private static <T> Optional<T> made(Value value, Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (IllegalArgumentException wrong) {
      return value.bad(String.valueOf(wrong.getMessage()), null);
    }
  }
}
