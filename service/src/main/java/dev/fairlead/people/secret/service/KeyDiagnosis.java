package dev.fairlead.people.secret.service;

import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.keyring.KeyRotation;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/** Checks that this process can decrypt every stored secret and credential. */
@Component
public class KeyDiagnosis implements Diagnosis {
  private final KeyRotation keys;

  public KeyDiagnosis(KeyRotation keys) {
    this.keys = keys;
  }

  @Override
  public String area() {
    return "secrets";
  }

  @Override
  public List<DoctorCheck> look() {
    SortedSet<String> known = keys.known();
    SortedMap<String, Long> used = keys.used();
    SortedMap<String, Long> locked = new TreeMap<>(used);
    locked.keySet().removeAll(known);
    if (!locked.isEmpty()) {
      return List.of(
          DoctorCheck.problem(
              area(),
              "keys",
              "secrets and credentials are encrypted with keys that this process does not have: "
                  + told(locked),
              "Add these keys to FAIRLEAD_ENCRYPTION_KEYS, or restore the FAIRLEAD_KEY_FILE under"
                  + " which they were stored. If a key is lost, set the secrets and the"
                  + " connection of each cluster again by PATCH, with force=true while attempts run"
                  + " there (docs/how-to/restore.md#when-the-key-file-is-lost)."));
    }
    return List.of(
        DoctorCheck.ok(area(), "keys", used.isEmpty() ? "nothing is encrypted yet" : told(used)));
  }

  private static String told(SortedMap<String, Long> used) {
    return String.join(
        ", ",
        used.entrySet().stream().map(e -> e.getValue() + " under key " + e.getKey()).toList());
  }
}
