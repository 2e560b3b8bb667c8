package dev.fairlead.supply.service;

import dev.fairlead.doctor.Check;
import dev.fairlead.doctor.Diagnosis;
import dev.fairlead.node.Pool;
import dev.fairlead.node.PoolStore;
import dev.fairlead.supply.Supply;
import dev.fairlead.supply.SupplyRequest;
import dev.fairlead.supply.SupplyStore;
import java.util.List;
import org.springframework.stereotype.Component;

/** Whether the suppliers of pools answer. */
@Component
public class SupplyDiagnosis implements Diagnosis {
  private final SupplyStore supplies;
  private final PoolStore pools;

  public SupplyDiagnosis(SupplyStore supplies, PoolStore pools) {
    this.supplies = supplies;
    this.pools = pools;
  }

  @Override
  public String area() {
    return "supplies";
  }

  @Override
  public List<Check> look() {
    List<Supply> all = supplies.supplies();
    List<SupplyRequest> open = all.isEmpty() ? List.of() : supplies.open();
    return all.stream().map(supply -> check(supply, open)).toList();
  }

  private Check check(Supply supply, List<SupplyRequest> open) {
    String pool = pools.pool(supply.pool()).map(Pool::name).orElseGet(supply.pool()::text);
    return open.stream()
        .filter(each -> each.asked().pool().equals(supply.pool()) && each.talk().unanswered() > 0)
        .findFirst()
        .map(each ->
            Check.problem(
                area(),
                pool,
                "Its supplier does not answer, %d times in a row: %s"
                    .formatted(each.talk().unanswered(), each.talk().message()),
                supply.supplier() instanceof Supply.Webhook
                    ? "Look at the supplier; docs/pools.md has what it has to answer."
                    : "Apply deploy/cluster-supply.yaml there where it is forbidden; docs/pools.md"
                        + " has the rest."))
        .orElseGet(() -> Check.ok(area(), pool, "its supplier has answered"));
  }
}
