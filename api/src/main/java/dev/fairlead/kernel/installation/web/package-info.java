/** The installation in the API. */
@NullMarked
package dev.fairlead.kernel.installation.web;

import org.jspecify.annotations.NullMarked;
