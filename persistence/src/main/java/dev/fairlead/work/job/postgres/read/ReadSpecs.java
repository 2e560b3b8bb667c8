package dev.fairlead.work.job.postgres.read;

import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.work.spec.JobSpec;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Caches parsed specs by the text of their column: a job is read at each step of its life, and
 * parsing was a quarter of the supervisors' work. The key is the text itself, so no entry becomes
 * outdated. The name of the job is not part of the key: jobs that differ only by name share the
 * parsed spec. An entry is evicted if it was not requested while {@link #MOST_CHARACTERS} of other
 * texts arrived. A text of more than {@value #MOST_OF_ONE} characters is parsed at each call.
 */
final class ReadSpecs {
  /**
   * Two million, more with a large maximum heap: 60,000 different running jobs have 60 million
   * characters, and with a smaller cache were parsed again at each step, a third of a supervisor's
   * work. A parsed spec takes a few bytes for each character.
   */
  static final long MOST_CHARACTERS = Math.max(2_000_000, Runtime.getRuntime().maxMemory() / 64);

  private static final int MOST_OF_ONE = 20_000;

  /** Position of the name in PostgreSQL's output: jsonb orders keys by their length. */
  private static final Pattern NAME = Pattern.compile("\\{\\s*\"name\":\\s*\"([^\"\\\\]*)\"");

  /**
   * The parsed text.
   *
   * @param decided spec without fields that no decision reads
   */
  private record Read(JobSpec whole, JobSpec decided) {
    static Read of(String text) {
      JobSpec whole = Json.read(text, JobSpec.class);
      return new Read(whole, whole.decided());
    }
  }

  private static final Recent<String, Read> RECENT = new Recent<>(MOST_CHARACTERS);

  private ReadSpecs() {}

  static JobSpec of(String text) {
    return of(text, Read::whole);
  }

  /** Equal to {@link JobSpec#decided}. Holders of it retain no reference to the rest. */
  static JobSpec decided(String text) {
    return of(text, Read::decided);
  }

  private static JobSpec of(String text, Function<Read, JobSpec> wanted) {
    Matcher name = NAME.matcher(text);
    if (!name.lookingAt()) {
      return wanted.apply(like(text, text));
    }
    JobSpec spec = wanted.apply(like(text.substring(name.end()), text));
    return spec.name().equals(name.group(1)) ? spec : spec.named(name.group(1), spec.queue());
  }

  /**
   * @param key the whole text, or the text without its name
   */
  private static Read like(String key, String text) {
    Read recent = RECENT.get(key);
    Read read = recent == null ? Read.of(text) : recent;
    if (key.length() <= MOST_OF_ONE) {
      RECENT.put(key, read, key.length());
    }
    return read;
  }
}
