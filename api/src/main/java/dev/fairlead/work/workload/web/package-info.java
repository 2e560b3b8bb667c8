/** Output of members over HTTP. */
@NullMarked
package dev.fairlead.work.workload.web;

import org.jspecify.annotations.NullMarked;
