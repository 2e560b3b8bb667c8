package dev.fairlead.architecture;

import static dev.fairlead.architecture.ProductCode.classesOf;
import static dev.fairlead.architecture.ProductCode.namesOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The layering is executable: the product follows each rule, and each rule detects its violation.
 */
class ArchitectureTest {

  private static final String ROOT = "dev.fairlead";
  private static final String ENTITY = "jakarta.persistence.Entity";
  private static final String CONTROLLER = "org.springframework.web.bind.annotation.RestController";
  private static final List<String> FEATURE_ORDER =
      List.of(
          "kernel.resources",
          "people.tenant",
          "fleet.node",
          "fleet.cluster",
          "fleet.quota",
          "work.attempt",
          "work.spec",
          "work.job",
          "work.placement",
          "work.workload");

  private static final JavaClasses PRODUCT = classesOf(ProductCode.PRODUCT);

  @Nested
  class TheProduct {

    @Test
    void domain_depends_only_on_the_jdk_and_itself() {
      JavaClasses domain = classesOf(List.of("domain"));
      ArchitectureRules.touchesOnlyTheJdkAnd(namesOf(domain)).check(domain);
    }

    @Test
    void scheduler_depends_only_on_the_jdk_the_domain_and_itself() {
      JavaClasses core = classesOf(List.of("domain", "scheduler"));
      ArchitectureRules.touchesOnlyTheJdkAnd(namesOf(core)).check(core);
    }

    @Test
    void domain_and_scheduler_are_deterministic() {
      ArchitectureRules.isDeterministic().check(classesOf(List.of("domain", "scheduler")));
    }

    @Test
    void service_knows_neither_adapters_nor_sql_nor_http() {
      ArchitectureRules.knowsNothingOf(
              "adapters, SQL, JPA, HTTP",
              names("persistence", "integrations", "k8s-adapter", "simulation", "api"),
              "java.sql",
              "javax.sql",
              "jakarta.persistence",
              "jakarta.servlet",
              "org.springframework.jdbc",
              "org.springframework.web",
              "io.fabric8")
          .check(classesOf(List.of("service")));
    }

    @Test
    void persistence_knows_neither_service_nor_api_nor_the_other_adapters() {
      ArchitectureRules.knowsNothingOf(
              "service, API, Kubernetes",
              names("service", "scheduler", "api", "integrations", "k8s-adapter", "simulation"),
              "io.fabric8",
              "software.amazon",
              "java.net.http")
          .check(classesOf(List.of("persistence")));
    }

    @Test
    void integrations_know_only_the_domain() {
      ArchitectureRules.knowsNothingOf(
              "any layer but the domain, and Kubernetes or SQL",
              names("service", "scheduler", "api", "persistence", "k8s-adapter", "simulation"),
              "io.fabric8",
              "java.sql",
              "jakarta.persistence")
          .check(classesOf(List.of("integrations")));
    }

    /** Clients of other services are found through ports. */
    @Test
    void kubernetes_adapter_uses_only_the_egress_policy_of_integrations() {
      Set<String> clients =
          names("integrations").stream()
              .filter(name -> !name.startsWith(ROOT + ".kernel.egress."))
              .collect(Collectors.toSet());
      ArchitectureRules.knowsNothingOf("clients of other services", clients)
          .check(classesOf(List.of("k8s-adapter")));
    }

    @Test
    void kubernetes_adapter_knows_neither_service_nor_persistence() {
      ArchitectureRules.knowsNothingOf(
              "service, API, persistence",
              names("service", "scheduler", "api", "persistence", "simulation"),
              "java.sql",
              "jakarta.persistence")
          .check(classesOf(List.of("k8s-adapter")));
    }

    @Test
    void simulation_knows_only_the_domain() {
      ArchitectureRules.knowsNothingOf(
              "any layer but the domain",
              names("service", "scheduler", "api", "persistence", "integrations", "k8s-adapter"),
              "io.fabric8",
              "java.sql",
              "jakarta.persistence")
          .check(classesOf(List.of("simulation")));
    }

    @Test
    void api_knows_no_adapter() {
      ArchitectureRules.knowsNothingOf(
              "persistence, integrations, Kubernetes, simulation",
              names("persistence", "integrations", "k8s-adapter", "simulation"),
              "io.fabric8",
              "jakarta.persistence",
              "org.springframework.jdbc")
          .check(classesOf(List.of("api")));
    }

    @Test
    void only_the_kubernetes_adapter_knows_fabric8() {
      List<String> others =
          ProductCode.PRODUCT.stream().filter(module -> !module.equals("k8s-adapter")).toList();
      ArchitectureRules.knowsNothingOf("fabric8", Set.of(), "io.fabric8").check(classesOf(others));
    }

    /** Code that only tests or a benchmark call does not belong in the product. */
    @Test
    void every_class_of_domain_and_scheduler_is_used_by_the_rest_of_the_product() {
      assertThat(ReachRule.unreached(PRODUCT, names("domain", "scheduler"))).isEmpty();
    }

    @Test
    void a_package_has_classes_in_one_module_only() {
      Map<String, JavaClasses> modules =
          ProductCode.PRODUCT.stream()
              .collect(Collectors.toMap(module -> module, module -> classesOf(List.of(module))));
      assertThat(ArchitectureRules.packagesOfSeveralModules(modules)).isEmpty();
    }

    @Test
    void features_are_free_of_cycles() {
      ArchitectureRules.featuresAreFreeOfCycles(ROOT).check(PRODUCT);
    }

    @Test
    void packages_are_free_of_cycles() {
      ArchitectureRules.packagesAreFreeOfCycles(ROOT).check(PRODUCT);
    }

    @Test
    void core_features_use_only_features_to_their_left() {
      ArchitectureRules.featuresUseOnlyThoseToTheirLeft(ROOT, FEATURE_ORDER)
          .check(classesOf(List.of("domain", "scheduler")));
    }

    @Test
    void a_sub_package_of_an_outer_layer_is_used_only_by_its_own_feature() {
      Set<String> domain = new TreeSet<>();
      classesOf(List.of("domain")).forEach(each -> domain.add(each.getPackageName()));
      ArchitectureRules.subPackagesAreUsedOnlyByTheirFeature(ROOT, domain).check(PRODUCT);
    }

    @Test
    void append_of_each_store_is_called_in_one_class() {
      ArchitectureRules.appendsInOneClassOnly(names("service", "domain")).check(PRODUCT);
    }

    @Test
    void entities_are_package_private() {
      ArchitectureRules.entitiesArePackagePrivate(ENTITY).check(PRODUCT);
    }

    @Test
    void rows_have_no_associations() {
      EntityRules.rowsHaveNoAssociations().check(PRODUCT);
    }

    @Test
    void rows_are_used_through_repositories() {
      EntityRules.rowsAreUsedThroughRepositories().check(PRODUCT);
    }

    @Test
    void repositories_load_rows_with_a_version_and_have_no_sql() {
      EntityRules.repositoriesLoadOnlyRowsWithAVersion().check(PRODUCT);
      EntityRules.repositoriesHaveNoSql().check(PRODUCT);
      EntityRules.queriesByNameTakeNoNull().check(PRODUCT);
    }

    @Test
    void rows_with_a_version_have_no_update_query() {
      EntityRules.rowsWithAVersionHaveNoUpdateQuery().check(PRODUCT);
    }

    @Test
    void controllers_are_annotated_and_reside_in_web() {
      ArchitectureRules.controllersAreAnnotatedAndLieInWeb(CONTROLLER).check(PRODUCT);
    }

    /** Fails when docs/reference/permissions.md lacks a callable operation. */
    @Test
    void every_api_operation_has_a_row_in_the_permission_matrix() {
      JavaClasses api = classesOf(List.of("api"));
      assertThat(PermissionRule.unlisted(api)).isEmpty();
      assertThat(PermissionRule.unserved(api)).isEmpty();
    }

    /** A request record used only by the API document would be a second list of the same fields. */
    @Test
    void request_records_are_bound() {
      assertThat(BorderRules.unboundRequests(PRODUCT))
          .isEqualTo(BorderRules.tolerated("unbound-requests.txt"));
    }

    @Test
    void at_most_three_records_of_a_feature_share_most_of_their_components() {
      assertThat(BorderRules.mirrors(PRODUCT, ROOT))
          .isEqualTo(BorderRules.tolerated("mirrored-records.txt"));
    }

    /** Exceptions hide parts of a value, or have other parts with equal names. */
    @Test
    void responses_are_read_models_of_services_or_values_of_the_domain() {
      JavaClasses values = classesOf(List.of("domain", "service"));
      assertThat(BorderRules.copies(classesOf(List.of("api")), values, ROOT))
          .isEqualTo(BorderRules.tolerated("copied-responses.txt"));
    }

    /** Features with special rules are listed. A plain resource needs no more files. */
    @Test
    void a_configuration_resource_has_at_most_six_main_files() {
      assertThat(BorderRules.largeResources(ProductCode.sources()))
          .containsExactlyElementsOf(BorderRules.tolerated("large-resources.txt"));
    }

    private Set<String> names(String... modules) {
      return namesOf(classesOf(List.of(modules)));
    }
  }

  @Nested
  class APlantedViolationIsFound {

    private static final String PLANTED = "dev.fairlead.architecture.planted";
    private static final Map<String, JavaClasses> IMPORTED = new HashMap<>();

    @ParameterizedTest
    @ValueSource(strings = {"OpensAUrl", "KeepsASqlType", "HasALogger"})
    void when_the_core_uses_a_library_sql_or_the_network(String name) {
      assertThat(violations(ArchitectureRules.touchesOnlyTheJdkAnd(Set.of()), "walls"))
          .anyMatch(text -> text.contains(name));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "ReadsTheInstant",
          "RefersToNow",
          "ReadsMillis",
          "ReadsNanos",
          "DrawsAUuid",
          "DrawsUnseeded",
          "StartsAThread",
          "StreamsInParallel",
          "IteratesAHashMap",
          "IteratesAHashSet",
          "CollectsToASet",
          "CopiesAMap"
        })
    void when_the_core_uses_a_clock_randomness_threads_or_hash_order(String name) {
      assertThat(violations(ArchitectureRules.isDeterministic(), "calls"))
          .anyMatch(text -> text.contains(name));
    }

    @Test
    void but_allows_a_seeded_random_and_ordered_collections() {
      assertThat(violations(ArchitectureRules.isDeterministic(), "calls"))
          .noneMatch(text -> text.contains("DrawsSeeded"));
    }

    @Test
    void when_a_layer_imports_a_foreign_layers_type() {
      Set<String> adapter = Set.of(PLANTED + ".adapter.postgres.PostgresThing");
      ArchRule rule = ArchitectureRules.knowsNothingOf("the adapter", adapter);
      assertThat(violations(rule, "adapter.web")).anyMatch(text -> text.contains("ThingPage"));
    }

    @Test
    void when_a_layer_imports_a_technology() {
      ArchRule rule = ArchitectureRules.knowsNothingOf("SQL", Set.of(), "java.sql");
      assertThat(violations(rule, "walls")).anyMatch(text -> text.contains("KeepsASqlType"));
    }

    @Test
    void when_two_features_use_each_other() {
      assertThat(violations(ArchitectureRules.featuresAreFreeOfCycles(PLANTED + ".cycle"), "cycle"))
          .anyMatch(text -> text.contains("Slice alpha"));
      assertThat(violations(ArchitectureRules.packagesAreFreeOfCycles(PLANTED + ".cycle"), "cycle"))
          .anyMatch(text -> text.contains("cycle.alpha"));
    }

    @Test
    void when_a_package_has_classes_in_two_modules() {
      JavaClasses classes = planted("cycle.alpha");
      assertThat(
              ArchitectureRules.packagesOfSeveralModules(
                  Map.of("domain", classes, "service", classes)))
          .containsExactly(PLANTED + ".cycle.alpha in [domain, service]");
    }

    @Test
    void when_a_feature_uses_a_feature_to_its_right() {
      ArchRule rule =
          ArchitectureRules.featuresUseOnlyThoseToTheirLeft(
              PLANTED + ".order", List.of("left", "right"));
      assertThat(violations(rule, "order"))
          .anyMatch(text -> text.contains("LooksRight"))
          .allMatch(text -> text.startsWith("Field"));
    }

    @Test
    void when_no_product_code_uses_a_core_class() {
      String reach = PLANTED + ".reach";
      JavaClasses classes = planted("reach");
      Set<String> core = Set.of(reach + ".Used", reach + ".ForTestsAlone");
      assertThat(ReachRule.unreached(classes, core)).containsExactly(reach + ".ForTestsAlone");
    }

    @Test
    void when_a_sub_package_is_used_from_another_feature() {
      ArchRule rule =
          ArchitectureRules.subPackagesAreUsedOnlyByTheirFeature(PLANTED + ".subpackage", Set.of());
      assertThat(violations(rule, "subpackage"))
          .anyMatch(text -> text.contains("Intruder"))
          .noneMatch(text -> text.contains("Owner"));
    }

    @Test
    void when_two_classes_append_to_one_store() {
      String here = PLANTED + ".append.";
      ArchRule rule =
          ArchitectureRules.appendsInOneClassOnly(
              Set.of(here + "FirstCommands", here + "SecondCommands"));
      assertThat(violations(rule, "append"))
          .anyMatch(text -> text.contains("FirstCommands") && text.contains("SecondCommands"));
    }

    @Test
    void when_append_is_called_from_outside_of_domain_and_service() {
      ArchRule rule = ArchitectureRules.appendsInOneClassOnly(Set.of());
      assertThat(violations(rule, "append")).anyMatch(text -> text.contains("from outside"));
    }

    @Test
    void when_an_entity_is_public() {
      ArchRule rule = ArchitectureRules.entitiesArePackagePrivate(PLANTED + ".entity.Entity");
      assertThat(violations(rule, "entity")).anyMatch(text -> text.contains("PublicEntity"));
    }

    @Test
    void when_a_row_has_an_association() {
      assertThat(violations(EntityRules.rowsHaveNoAssociations(), "entity"))
          .containsExactly(PLANTED + ".entity.Thing.neighbours");
    }

    @Test
    void when_a_row_is_used_outside_its_repository() {
      assertThat(violations(EntityRules.rowsAreUsedThroughRepositories(), "entity"))
          .isNotEmpty()
          .allMatch(text -> text.contains("AsksTheEntityManager"));
    }

    @Test
    void when_a_repository_reads_a_row_or_has_sql() {
      assertThat(violations(EntityRules.repositoriesLoadOnlyRowsWithAVersion(), "entity"))
          .containsExactly(PLANTED + ".entity.UnversionedReads.readsTheRow()");
      assertThat(violations(EntityRules.repositoriesHaveNoSql(), "entity"))
          .containsExactly(PLANTED + ".entity.ThingRepository.hasSql()");
      assertThat(violations(EntityRules.queriesByNameTakeNoNull(), "entity"))
          .containsExactly(PLANTED + ".entity.ThingRepository.findByName(java.lang.String)");
    }

    @Test
    void when_a_query_changes_a_row_with_a_version() {
      String here = PLANTED + ".entity.ThingRepository.";
      assertThat(violations(EntityRules.rowsWithAVersionHaveNoUpdateQuery(), "entity"))
          .containsExactlyInAnyOrder(
              here + "changes()", here + "removes()", here + "deleteByName(java.lang.String)");
    }

    @Test
    void when_a_request_record_is_not_bound() {
      JavaClasses planted = planted("border");
      assertThat(BorderRules.unboundRequests(planted))
          .containsExactly(PLANTED + ".border.web.Operations$UnboundRequest");
    }

    @Test
    void when_four_records_of_a_feature_share_most_components() {
      JavaClasses planted = planted("border");
      assertThat(BorderRules.mirrors(planted, PLANTED))
          .containsExactly(
              "border: Operations$First Operations$Fourth Operations$Second Operations$Third");
    }

    @Test
    void when_a_response_copies_a_value() {
      JavaClasses planted = planted("border");
      assertThat(BorderRules.copies(planted, planted, PLANTED))
          .containsExactly(
              "CopyController$Shown copies ShownValue",
              "Operations$CopiedResponse copies CopiedValue");
    }

    @Test
    void when_a_configuration_resource_has_seven_main_files() {
      assertThat(BorderRules.largeResources(resource(7))).containsExactly("a has 7 main files");
      assertThat(BorderRules.largeResources(resource(6))).isEmpty();
    }

    private static List<SourceFile> resource(int files) {
      return IntStream.range(0, files)
          .mapToObj(i ->
              new SourceFile(
                  "domain",
                  "domain/src/main/java/dev/fairlead/a/C" + i + ".java",
                  "new ConfigType<>(ConfigKind.POOL, A.class)"))
          .toList();
    }

    @Test
    void when_a_controller_is_not_annotated() {
      assertThat(
              violations(
                  ArchitectureRules.controllersAreAnnotatedAndLieInWeb(CONTROLLER), "controller"))
          .anyMatch(text -> text.contains("ForgottenController"));
    }

    @Test
    void when_a_controller_method_has_no_row_in_the_permission_matrix() {
      JavaClasses planted = planted("permission");
      assertThat(PermissionRule.unlisted(planted))
          .containsExactly(
              "UnlistedOperations.hasNoRow: stealEverything",
              "UnlistedOperations.saysNoOperation: ");
      assertThat(PermissionRule.unserved(planted)).contains("cancelJob").doesNotContain("getJob");
    }

    /** Imported once for all tests: an import resolves the names in a class. */
    private static JavaClasses planted(String name) {
      JavaClasses classes =
          IMPORTED.computeIfAbsent(
              name, each -> new ClassFileImporter().importPackages(PLANTED + "." + each));
      assertThat(classes).isNotEmpty();
      return classes;
    }

    private List<String> violations(ArchRule rule, String planted) {
      return rule.evaluate(planted(planted)).getFailureReport().getDetails();
    }
  }
}
