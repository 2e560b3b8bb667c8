package dev.fairlead.people.audit;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One change that is to be taken back.
 *
 * @param actor with the version as its cause
 * @param of a change of something that was there before it and behind it
 * @param force whatever became of it since
 */
public record RevertRequest(Actor actor, ConfigVersion of, boolean force) {
  /**
   * What it was before the change.
   *
   * @throws Refusal ILLEGAL_STATE for a document of another version of the product
   */
  public <T extends Record> T before(Class<T> type) {
    return read(Objects.requireNonNull(of.change().before()), type);
  }

  /** What the change made of it; otherwise as {@link #before}. */
  public <T extends Record> T after(Class<T> type) {
    return read(Objects.requireNonNull(of.change().after()), type);
  }

  private <T extends Record> T read(String document, Class<T> type) {
    return StateDocument.read(document, type)
        .orElseThrow(() ->
            refused(
                "was written by another version of Fairlead, which stores other members: set the"
                    + " values by hand"));
  }

  /**
   * The version that the command has to find.
   *
   * @param now what it has now
   * @param then what it had behind the change
   */
  public long expected(long now, long then) {
    return force ? now : then;
  }

  /** As {@link #expected}, null for any. */
  public @Nullable Long expected(long then) {
    return force ? null : Long.valueOf(then);
  }

  /**
   * @param why what it is, and what to do
   */
  public Refusal refused(String why) {
    return new Refusal(ProblemCode.ILLEGAL_STATE, "Version %d %s.".formatted(of.version(), why));
  }

  /** It is another by now, or something of its name was made since it was removed. */
  public static Refusal gone() {
    return new Refusal(ProblemCode.NOT_FOUND, "It is not there any more.");
  }
}
