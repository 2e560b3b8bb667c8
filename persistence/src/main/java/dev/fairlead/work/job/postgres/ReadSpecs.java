package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.work.spec.JobSpec;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
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

  /**
   * What a text says.
   *
   * @param decided without what no decision reads
   */
  private record Read(JobSpec whole, JobSpec decided) {
    static Read of(String text) {
      JobSpec whole = Json.read(text, JobSpec.class);
      return new Read(whole, whole.decided());
    }
  }

  /** Texts that came lately, and those before them. */
  private record Known(
      ConcurrentHashMap<String, Read> young,
      ConcurrentHashMap<String, Read> old,
      AtomicLong characters) {
    static Known after(ConcurrentHashMap<String, Read> old) {
      return new Known(new ConcurrentHashMap<>(), old, new AtomicLong());
    }
  }

  private static volatile Known known = Known.after(new ConcurrentHashMap<>());

  private ReadSpecs() {}

  static JobSpec of(String text) {
    return of(text, Read::whole);
  }

  /** The same as {@link JobSpec#decided}; nothing of the rest is kept by who keeps it. */
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
   * @param key all of the text, or all but its name
   */
  private static Read like(String key, String text) {
    Known now = known;
    Read young = now.young.get(key);
    if (young != null) {
      return young;
    }
    Read old = now.old.get(key);
    Read read = old == null ? Read.of(text) : old;
    if (key.length() <= MOST_OF_ONE) {
      keep(now, key, read);
    }
    return read;
  }

  /** Of two threads that fill the young half at once, each may begin the next: one text is lost. */
  private static void keep(Known now, String text, Read read) {
    if (now.young.putIfAbsent(text, read) == null
        && now.characters.addAndGet(text.length()) > MOST_CHARACTERS / 2) {
      known = Known.after(now.young);
    }
  }
}
