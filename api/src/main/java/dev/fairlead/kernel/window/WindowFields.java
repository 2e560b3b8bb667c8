package dev.fairlead.kernel.window;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request record with the start times, the duration and the zone of a recurring window. */
public interface WindowFields {
  Cron cron();

  Duration duration();

  ZoneId timezone();

  /** The window of a request without problems. */
  default RecurringWindow window() {
    return RecurringWindow.of(cron(), duration(), timezone());
  }

  /** Reports a window that opens too often. A refused component is null. */
  default void checkWindow(Fields given) {
    @Nullable Cron cron = cron();
    @Nullable Duration duration = duration();
    @Nullable ZoneId zone = timezone();
    if (cron != null && duration != null && zone != null) {
      try {
        RecurringWindow _ = RecurringWindow.of(cron, duration, zone);
      } catch (IllegalArgumentException wrong) {
        given.refuse(
            ProblemCode.INVALID_FIELD, "The window " + String.valueOf(wrong.getMessage()) + ".");
      }
    }
  }

  /** Reads a cron expression. */
  final class CronReader extends FieldReader<Cron> {
    private static final int LONGEST = 200;

    @Override
    protected Optional<Cron> read(Value value) {
      return value.text(LONGEST).flatMap(text -> made(value, () -> Cron.parse(text)));
    }
  }

  /** Reads whole minutes. */
  final class Minutes extends FieldReader<Duration> {
    private static final Duration LEAST = Duration.ofMinutes(1);

    @Override
    protected Optional<Duration> read(Value value) {
      return value
          .duration(LEAST, RecurringWindow.LONGEST)
          .flatMap(each ->
              each.toSecondsPart() == 0 && each.toMillisPart() == 0
                  ? Optional.of(each)
                  : value.bad("must be whole minutes", null));
    }
  }

  /** Reads the IANA name of a time zone. */
  final class ZoneReader extends FieldReader<ZoneId> {
    private static final int LONGEST = 64;

    @Override
    protected Optional<ZoneId> read(Value value) {
      return value.text(LONGEST).flatMap(text -> made(value, () -> RecurringWindow.zone(text)));
    }
  }

  private static <T> Optional<T> made(Value value, Supplier<T> read) {
    try {
      return Optional.of(read.get());
    } catch (IllegalArgumentException wrong) {
      return value.bad(String.valueOf(wrong.getMessage()), null);
    }
  }
}
