package dev.fairlead.verify.engine.cases;

import dev.fairlead.verify.engine.cases.form.Mode;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import dev.fairlead.work.placement.share.Claim;
import dev.fairlead.work.placement.share.DeservedShares;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** {@code fair-share}: the division into deserved shares, per resource. */
final class FairShareMode implements Mode {
  private static final double TOLERANCE = 1e-6;

  @Override
  public Verdict judge(Value scenario) {
    for (Map.Entry<String, Value> total : scenario.get("total").fields().entrySet()) {
      String resource = total.getKey();
      SortedMap<String, Double> shares =
          DeservedShares.divide(total.getValue().number(), claims(scenario, resource));
      for (Map.Entry<String, Value> queue :
          scenario.get("expect").get("fair_share").fields().entrySet()) {
        double expected = queue.getValue().get(resource).number(0);
        double found = shares.getOrDefault(queue.getKey(), 0.0);
        if (Math.abs(expected - found) > TOLERANCE) {
          return Verdict.differs(
              "%s of %s: expected %s, found %s"
                  .formatted(resource, queue.getKey(), expected, found));
        }
      }
    }
    return Verdict.AGREES;
  }

  private static List<Claim> claims(Value scenario, String resource) {
    List<Claim> claims = new ArrayList<>();
    for (Value queue : scenario.get("queues").list()) {
      Value asked = queue.get("resources").get(resource);
      if (asked.present()) {
        claims.add(
            new Claim(
                queue.get("name").text(),
                queue.get("parent").textOrNull(),
                queue.get("created_order").whole(0),
                queue.get("priority").whole(0),
                asked.get("quota").number(),
                asked.get("limit").number(),
                asked.get("weight").number(),
                asked.get("request").number()));
      }
    }
    return claims;
  }
}
