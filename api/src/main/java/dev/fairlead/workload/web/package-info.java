/** Output of members over HTTP. */
@NullMarked
package dev.fairlead.workload.web;

import org.jspecify.annotations.NullMarked;
