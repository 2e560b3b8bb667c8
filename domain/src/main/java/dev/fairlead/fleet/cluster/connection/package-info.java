/** Connections to clusters, their credentials and addresses. */
@NullMarked
package dev.fairlead.fleet.cluster.connection;

import org.jspecify.annotations.NullMarked;
