package dev.fairlead.work.job.web.view;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import java.net.URLEncoder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of output in the log store of the platform. Ids have no prefix, as in the labels of
 * pods, and values are percent-encoded.
 */
public final class LogUrls {
  /** Lines may arrive in the store after the end of their pod. */
  private static final Duration LATE = Duration.ofHours(1);

  private static final Pattern VARIABLE = Pattern.compile("\\{([a-z]+)}");

  private final LogUrlSettings settings;
  private final InstantSource clock;

  LogUrls(LogUrlSettings settings, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
  }

  /** Returns null without a template, and for a job that has not been sent to a cluster. */
  @Nullable String of(Job job, @Nullable String cluster) {
    if (cluster == null) {
      return null;
    }
    Map<String, String> ids =
        Map.of(
            "job", job.id().bare(), "project", job.project().bare(), "tenant", job.tenant().bare());
    return filled(settings.jobUrl(), cluster, job.createdAt(), job.run().endedAt(), ids);
  }

  /** Returns null without a template. */
  @Nullable String of(Attempt attempt, Member member, String cluster) {
    Map<String, String> ids =
        Map.of(
            "job",
            attempt.job().bare(),
            "attempt",
            attempt.id().bare(),
            "role",
            member.role(),
            "index",
            Integer.toString(member.index()),
            "pod",
            ObjectNames.pod(attempt.id(), MemberKey.of(member)));
    return filled(settings.memberUrl(), cluster, attempt.createdAt(), attempt.endedAt(), ids);
  }

  private @Nullable String filled(
      String template,
      String cluster,
      Instant from,
      @Nullable Instant ended,
      Map<String, String> ids) {
    if (template.isEmpty()) {
      return null;
    }
    Instant to = (ended == null ? clock.instant() : ended).plus(LATE);
    return VARIABLE
        .matcher(template)
        .replaceAll(variable -> {
          String value =
              switch (variable.group(1)) {
                case "cluster" -> cluster;
                case "from" -> from.truncatedTo(ChronoUnit.SECONDS).toString();
                case "to" -> to.truncatedTo(ChronoUnit.SECONDS).toString();
                default -> ids.getOrDefault(variable.group(1), "");
              };
          return Matcher.quoteReplacement(URLEncoder.encode(value, UTF_8));
        });
  }
}
