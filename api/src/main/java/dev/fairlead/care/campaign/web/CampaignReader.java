package dev.fairlead.care.campaign.web;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignDeadline;
import dev.fairlead.care.campaign.CampaignRules;
import dev.fairlead.care.campaign.service.CampaignDraft;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.problem.ProblemCode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads campaigns from request bodies. */
final class CampaignReader {
  static final int LONGEST_REASON = 500;
  private static final int LONGEST_NODE = 253;
  private static final int WHOLE = 100;
  private static final Duration SHORTEST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofDays(366);
  private static final Duration SOAK = Duration.ofMinutes(10);

  private CampaignReader() {}

  /** Returns the draft. Valid only if no problem was reported. */
  static CampaignDraft read(Fields given) {
    Optional<String> name =
        given
            .required("name", "a name such as kernel-6.12.")
            .flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> reason = reason(given);
    Optional<String> cluster = given.get("cluster").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<String> pool = given.get("pool").flatMap(v -> v.text(Names.LONGEST_LABEL));
    Optional<List<String>> nodes =
        given.get("nodes").map(v -> v.texts(Campaign.MOST_NODES, LONGEST_NODE));
    if (cluster.isEmpty() && pool.isEmpty() && nodes.isEmpty()) {
      given.refuse(ProblemCode.INVALID_FIELD, "no nodes are selected: set cluster, pool or nodes");
    }
    Optional<Integer> count =
        given.get("atOnce").flatMap(v -> v.integer(1, CampaignRules.MOST_AT_ONCE));
    Optional<Integer> percent = given.get("percentAtOnce").flatMap(v -> v.integer(1, WHOLE));
    if (given.has("atOnce") == given.has("percentAtOnce")) {
      given.refuse(
          ProblemCode.INVALID_FIELD, "the batch size is missing: set atOnce or percentAtOnce");
    }
    Optional<Duration> within =
        given.get("drainWithin").flatMap(v -> v.duration(SHORTEST, LONGEST));
    Optional<CampaignDeadline> atDeadline =
        given.get("atDeadline").flatMap(v -> v.choice(CampaignDeadline.class));
    Optional<Integer> unhealthy =
        given.get("mostUnhealthy").flatMap(v -> v.integer(0, Campaign.MOST_NODES));
    Optional<Duration> soak = given.get("soak").flatMap(v -> v.duration(Duration.ZERO, LONGEST));
    given.done();
    return new CampaignDraft(
        name.orElse(""),
        reason.orElse(""),
        cluster.orElse(null),
        pool.orElse(null),
        nodes.orElse(null),
        percent.or(() -> count).orElse(1),
        percent.isPresent(),
        within.orElse(null),
        atDeadline.orElse(CampaignDeadline.SKIP),
        unhealthy.orElse(0),
        soak.orElse(SOAK));
  }

  static Optional<String> reason(Fields given) {
    return given
        .required("reason", "the reason, recorded with the action.")
        .flatMap(v -> v.text(LONGEST_REASON));
  }
}
