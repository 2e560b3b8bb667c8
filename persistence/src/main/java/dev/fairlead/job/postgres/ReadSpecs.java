package dev.fairlead.job.postgres;

import dev.fairlead.postgres.Json;
import dev.fairlead.spec.JobSpec;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Specifications by the text of their column: a job is read at each step of its life, and parsing
 * was a quarter of what supervisors worked. A text stands for itself, so nothing here grows old.
 * The name of the job is left out of it: jobs that differ by name alone share what was parsed. What
 * was not asked for while {@link #MOST_CHARACTERS} of other texts came is forgotten; a text of more
 * than {@value #MOST_OF_ONE} characters is parsed at each call.
 */
final class ReadSpecs {
  /**
   * Two million, more where the heap may grow large: 60,000 running jobs that differ have 60
   * million characters, and were parsed again at each step with fewer, a third of what a supervisor
   * worked. What is parsed takes a few bytes for each.
   */
  static final long MOST_CHARACTERS = Math.max(2_000_000, Runtime.getRuntime().maxMemory() / 64);

  private static final int MOST_OF_ONE = 20_000;

  /** Where PostgreSQL prints the name: jsonb orders keys by their length. */
  private static final Pattern NAME = Pattern.compile("\\{\\s*\"name\":\\s*\"([^\"\\\\]*)\"");

  /** Texts that came lately, and those before them. */
  private record Known(
      ConcurrentHashMap<String, JobSpec> young,
      ConcurrentHashMap<String, JobSpec> old,
      AtomicLong characters) {
    static Known after(ConcurrentHashMap<String, JobSpec> old) {
      return new Known(new ConcurrentHashMap<>(), old, new AtomicLong());
    }
  }

  private static volatile Known known = Known.after(new ConcurrentHashMap<>());

  private ReadSpecs() {}

  static JobSpec of(String text) {
    Matcher name = NAME.matcher(text);
    if (!name.lookingAt()) {
      return like(text, text);
    }
    JobSpec spec = like(text.substring(name.end()), text);
    return spec.name().equals(name.group(1)) ? spec : spec.named(name.group(1), spec.queue());
  }

  /**
   * @param key all of the text, or all but its name
   */
  private static JobSpec like(String key, String text) {
    Known now = known;
    JobSpec young = now.young.get(key);
    if (young != null) {
      return young;
    }
    JobSpec old = now.old.get(key);
    JobSpec spec = old == null ? Json.read(text, JobSpec.class) : old;
    if (key.length() <= MOST_OF_ONE) {
      keep(now, key, spec);
    }
    return spec;
  }

  /** Of two threads that fill the young half at once, each may begin the next: one text is lost. */
  private static void keep(Known now, String text, JobSpec spec) {
    if (now.young.putIfAbsent(text, spec) == null
        && now.characters.addAndGet(text.length()) > MOST_CHARACTERS / 2) {
      known = Known.after(now.young);
    }
  }
}
