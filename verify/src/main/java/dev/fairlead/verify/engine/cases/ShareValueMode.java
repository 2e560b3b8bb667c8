package dev.fairlead.verify.engine.cases;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.verify.engine.cases.form.Mode;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.verify.engine.cases.form.Verdict;
import dev.fairlead.work.placement.share.DominantShares;
import dev.fairlead.work.placement.share.Share;
import java.util.SortedMap;
import java.util.TreeMap;

/** {@code share-value}: weighted dominant shares of every node of the tree. */
final class ShareValueMode implements Mode {
  @Override
  public Verdict judge(Value scenario) {
    QuotaCase quota = new QuotaCase(scenario);
    DominantShares shares = new DominantShares(quota.tree());
    SortedMap<QuotaCell, Long> extra = QuotaCase.amounts(scenario.get("extra_request").list());
    for (Value expected : scenario.get("expect").get("shares").list()) {
      String name = expected.get("name").text();
      SortedMap<QuotaCell, Long> here = new TreeMap<>(extra);
      here.keySet().retainAll(quota.entries(name));
      Verdict verdict = Verdict.of(wanted(expected), told(shares.of(quota.id(name), here)));
      if (!verdict.agrees()) {
        return Verdict.differs(name + ": " + verdict.why());
      }
    }
    return Verdict.AGREES;
  }

  private static String wanted(Value share) {
    boolean infinite = share.get("infinite").flag(false);
    String value = infinite ? "infinite" : String.valueOf(share.get("share_permille").whole(0));
    return value + " of " + share.get("dominant_resource").text("nothing");
  }

  private static String told(Share share) {
    String value = share.infinite() ? "infinite" : String.valueOf(share.permille());
    return value + " of " + (share.dominant() == null ? "nothing" : share.dominant());
  }
}
