package dev.fairlead.licence.service;

import dev.fairlead.audit.ConfigKind;
import dev.fairlead.audit.ConfigRevert;
import dev.fairlead.audit.RevertRequest;
import dev.fairlead.licence.Licence;
import dev.fairlead.licence.LicenceUse;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import org.springframework.stereotype.Component;

/** Takes changes of licences back. One has no version: what it is tells whether it was changed. */
@Component
public class LicenceRevert implements ConfigRevert {
  private final Licences licences;

  public LicenceRevert(Licences licences) {
    this.licences = licences;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.LICENCE;
  }

  @Override
  public void revert(RevertRequest request) {
    Licence to = request.before(Licence.class);
    Licence from = request.after(Licence.class);
    Licence now =
        licences.all(request.actor()).stream()
            .map(LicenceUse::licence)
            .filter(each -> each.name().equals(to.name()))
            .findFirst()
            .orElseThrow(RevertRequest::gone);
    if (!request.force() && !now.equals(from)) {
      throw new Refusal(
          ProblemCode.VERSION_MISMATCH, "Licence \"" + to.name() + "\" was changed since.");
    }
    LicenceUse _ = licences.put(request.actor(), to, false);
  }
}
