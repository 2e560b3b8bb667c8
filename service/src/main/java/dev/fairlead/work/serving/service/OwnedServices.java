package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.ServiceOwner;
import dev.fairlead.work.serving.ServingStore;
import dev.fairlead.work.serving.service.spi.ObjectServices;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/** Applies, shows and deletes the model services that objects of front clusters own. */
@Component
public class OwnedServices implements ObjectServices {
  private final ModelServices services;
  private final AppliedService.Reader files;
  private final ServingStore store;
  private final ReplicaWatch watch;
  private final Transactions transactions;

  public OwnedServices(
      ModelServices services,
      AppliedService.Reader files,
      ServingStore store,
      ReplicaWatch watch,
      Transactions transactions) {
    this.services = services;
    this.files = files;
    this.store = store;
    this.watch = watch;
    this.transactions = transactions;
  }

  @Override
  public SortedMap<String, OwnedService> owned(String cluster) {
    SortedMap<String, OwnedService> owned = new TreeMap<>();
    List<OwnedService> services = transactions.readForAllTenants(() -> store.owned(cluster));
    if (services.isEmpty()) {
      return owned;
    }
    ReplicaWatch.Known known = watch.known(services.stream().map(OwnedService::state).toList());
    for (OwnedService each : services) {
      ServiceOwner owner = each.settings().owner();
      if (owner != null) {
        owned.put(
            owner.uid(),
            new OwnedService(
                each.project(),
                each.settings(),
                each.state(),
                watch.look(each.state(), known).seen()));
      }
    }
    return owned;
  }

  @Override
  public Spec read(Actor actor, Project project, String name, String json) {
    ModelServices.Name of = new ModelServices.Name(project.name(), name);
    AppliedService wanted = files.read(actor, of, json);
    return (lease, owner) -> {
      ModelServiceView _ =
          services.put(actor, of, wanted, owner, null, work -> transactions.runFenced(lease, work));
    };
  }

  @Override
  public void remove(HeldLease lease, Actor actor, OwnedService service) {
    ModelService settings = service.settings();
    try {
      services.remove(
          actor,
          new ModelServices.Name(settings.project(), settings.name()),
          now -> same(settings, now),
          work -> transactions.runFenced(lease, work));
    } catch (Refusal refused) {
      if (refused.code() != ProblemCode.NOT_FOUND) {
        throw refused;
      }
    }
  }

  private static boolean same(ModelService earlier, ModelService now) {
    ServiceOwner was = earlier.owner();
    ServiceOwner is = now.owner();
    return now.id().equals(earlier.id()) && was != null && is != null && was.uid().equals(is.uid());
  }
}
