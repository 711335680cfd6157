import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

/**
 * The token of a one-time link. It travels behind the `#`, so no server sees it, and leaves the address bar at once:
 * it is not read over a shoulder, nor from the history list.
 */
export function useLinkToken(): string | null {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [token, setToken] = useState(() => hash.slice(1) || null);

  useEffect(() => {
    if (hash.length > 1) {
      setToken(hash.slice(1));
      navigate(pathname, { replace: true });
    }
  }, [hash, pathname, navigate]);

  return token;
}
