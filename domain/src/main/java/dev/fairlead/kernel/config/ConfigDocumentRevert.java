package dev.fairlead.kernel.config;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import dev.fairlead.people.tenant.Actor;
import java.util.Optional;

/**
 * Reverts changes of one type of documents. The service that changes such documents implements it,
 * so that a revert passes the permissions and checks of any other change.
 */
public interface ConfigDocumentRevert<T extends Record> extends ConfigRevert {
  ConfigType<T> type();

  /** The stored document, with the permission of the operation that reads it. */
  Optional<ConfigDocument<T>> stored(Actor actor, String name);

  /** Stores the value over the version of the document, with the permission of a change. */
  void restore(Actor actor, ConfigDocument<T> document);

  @Override
  default ConfigKind kind() {
    return type().kind();
  }

  @Override
  default void revert(RevertRequest request) {
    String name = request.of().change().name();
    T before = request.before(type().type());
    ConfigDocument<T> now = stored(request.actor(), name).orElseThrow(RevertRequest::gone);
    if (!request.force() && !now.value().equals(request.after(type().type()))) {
      throw new Refusal(
          ProblemCode.VERSION_MISMATCH,
          "%s \"%s\" was changed after this version.".formatted(kind(), name));
    }
    restore(request.actor(), now.with(before));
  }
}
