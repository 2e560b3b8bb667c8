/** REST endpoint of the checks. */
@NullMarked
package dev.fairlead.kernel.doctor.web;

import org.jspecify.annotations.NullMarked;
