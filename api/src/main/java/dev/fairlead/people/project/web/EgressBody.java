package dev.fairlead.people.project.web;

import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.EgressCidr;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Addresses that pods of a project may reach, in request and response bodies. */
final class EgressBody {
  private static final int LONGEST = 50;

  private EgressBody() {}

  /**
   * @param mode mode: OPEN, or STRICT for DNS, the gang and {@code cidrs} only
   * @param cidrs address ranges, at most 50, such as 10.0.0.0/8
   */
  record EgressResponse(Egress.Mode mode, List<String> cidrs) {
    static EgressResponse of(Egress egress) {
      return new EgressResponse(egress.mode(), egress.cidrs());
    }
  }

  /**
   * The new addresses that pods of a project may reach.
   *
   * @param mode mode: OPEN, or STRICT for DNS, the gang and {@code cidrs} only
   * @param cidrs address ranges, at most 50, none when absent
   */
  @Schema(name = "EgressRequest")
  record EgressRequest(
      Egress.Mode mode, @JsonDeserialize(using = CidrReader.class) @Nullable List<String> cidrs)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      if (mode == Egress.Mode.OPEN && cidrs != null && !cidrs.isEmpty()) {
        given.refuse(
            "cidrs",
            ProblemCode.INVALID_FIELD,
            "cidrs apply to mode STRICT only, since OPEN already reaches them.",
            null);
      }
    }

    Egress egress() {
      return new Egress(mode, cidrs == null ? List.of() : cidrs);
    }
  }

  /** Reads ranges of addresses: a list, or one text. */
  static final class CidrReader extends FieldReader<List<String>> {
    @Override
    protected Optional<List<String>> read(Value value) {
      List<String> cidrs = value.texts(Egress.MOST_CIDRS, LONGEST);
      return cidrs.stream()
          .filter(cidr -> EgressCidr.parse(cidr).isEmpty())
          .findFirst()
          .map(cidr ->
              value.<List<String>>bad(
                  "must contain ranges such as 10.0.0.0/8 or 2001:db8::/32, without host bits, not"
                      + " \""
                      + cidr
                      + "\"",
                  null))
          .orElse(Optional.of(cidrs));
    }
  }
}
