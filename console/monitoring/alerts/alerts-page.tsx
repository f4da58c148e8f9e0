// The alert rules and notification channels of a region. States change by themselves, so the page is refreshed
// regularly, without moving the focus.
import { Button } from '../../components/button.tsx';
import { useRefresh, useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import { perform, toast } from '../../components/toast.tsx';
import type { PageProps } from '../../router.ts';
import { alertsUrl } from '../../urls.ts';
import { MonitoringPage } from '../region-page.tsx';
import { loadAlerting } from './alerting-api.ts';
import { ChannelsSection } from './channels-section.tsx';
import { RulesSection } from './rules-section.tsx';

const refreshMs = 10_000;

export const AlertsPage = (props: PageProps) => (
  <MonitoringPage {...props} url={alertsUrl}>
    {(region) => <Alerts region={region} />}
  </MonitoringPage>
);

function Alerts({ region }: { region: string }) {
  const list = useResource((signal) => loadAlerting(region, signal));
  const onChange = (text: string): void => {
    toast(text);
    perform(() => list.reload());
  };
  useRefresh(list, refreshMs);
  return (
    <>
      <div class="bar">
        <p>Rules are evaluated once a minute.</p>
        <Button text="Refresh" look="plain" onPress={() => void list.reload()} />
      </div>
      <Loaded resource={list} what="the alerts">
        {(alerting) => (
          <div class="alerting">
            <RulesSection {...alerting} onChange={onChange} />
            <ChannelsSection region={region} channels={alerting.channels} onChange={onChange} />
          </div>
        )}
      </Loaded>
    </>
  );
}
