/** Clusters, nodes and capacity over HTTP. */
@NullMarked
package dev.fairlead.fleet.cluster.web;

import org.jspecify.annotations.NullMarked;
