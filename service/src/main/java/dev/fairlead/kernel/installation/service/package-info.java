/** Use cases of the installation: which one this is, and that its database is the live one. */
@NullMarked
package dev.fairlead.kernel.installation.service;

import org.jspecify.annotations.NullMarked;
