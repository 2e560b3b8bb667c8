# Fairlead's image from the output of the build and of tools/dist/prepare: make image.
# BASE is any image with a Java 25 runtime on its path.
ARG BASE=eclipse-temurin:25-jre

FROM ${BASE} AS layers
WORKDIR /build
COPY api/target/fairlead-api-*-exec.jar fairlead.jar
RUN java -Djarmode=tools -jar fairlead.jar extract --layers --destination layers

FROM ${BASE} AS service
LABEL org.opencontainers.image.title="Fairlead" \
      org.opencontainers.image.description="Control plane for AI compute"
# mount point of a volume for the key file: a new volume takes over the owner
RUN install -d -m 700 -o 10001 -g 10001 /var/lib/fairlead
WORKDIR /opt/fairlead
# layers that change seldom are first, so an upgrade transfers only the last layers
COPY --from=layers /build/layers/dependencies/ ./
COPY --from=layers /build/layers/snapshot-dependencies/ ./
COPY --from=layers /build/layers/application/ ./
COPY api/target/prepared/fairlead-prepared.jar ./

# Runs short jobs in the service on a database of this stage. The classes that are loaded and linked until their end form the cache,
# with the profiles of their methods.
# PostgreSQL does not run as root, and needs a name for its user.
FROM service AS trained
COPY api/target/prepared/trainer/ /build/trainer/
RUN echo 'trainer:x:10001:10001::/tmp:/bin/sh' >>/etc/passwd && install -d -o 10001 -g 10001 /build/cache
USER 10001:10001
RUN java -cp '/build/trainer/*' dev.fairlead.launcher.CacheTraining /build/cache/fairlead.aot -Dspring.aot.enabled=true \
      -cp /opt/fairlead/fairlead.jar:/opt/fairlead/fairlead-prepared.jar dev.fairlead.FairleadApplication

FROM service
COPY --from=trained /build/cache/fairlead.aot ./

# Reachable from outside of the container, so the service refuses to start without FAIRLEAD_BOOTSTRAP_TOKEN.
ENV FAIRLEAD_BIND=0.0.0.0
EXPOSE 8080 8081
# Written at run time. The root file system may be read-only.
VOLUME /tmp
USER 10001:10001
# Further options of the JVM: JDK_JAVA_OPTIONS. The cache stays at the address of its layout: a relocation would write to
# all its pages and make them private memory of the process. A small initial heap is collected throughout the start, which
# promotes young objects to the old generation.
ENTRYPOINT ["java", "-XX:AOTCache=/opt/fairlead/fairlead.aot", "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0", "-XX:InitialRAMPercentage=15", "-XX:MaxRAMPercentage=70", "-XX:+ExitOnOutOfMemoryError", "-Dspring.aot.enabled=true", "-cp", "/opt/fairlead/fairlead.jar:/opt/fairlead/fairlead-prepared.jar", "dev.fairlead.FairleadApplication"]
