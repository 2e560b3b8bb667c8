/** REST endpoints of member output, confirmed deaths and cluster removal. */
@NullMarked
package dev.fairlead.work.workload.web;

import org.jspecify.annotations.NullMarked;
