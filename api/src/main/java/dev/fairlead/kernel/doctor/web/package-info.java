/** The checks in the API. */
@NullMarked
package dev.fairlead.kernel.doctor.web;

import org.jspecify.annotations.NullMarked;
